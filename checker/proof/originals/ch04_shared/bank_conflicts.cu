// bank_conflicts | chapter 4 | "Thirty-two banks"
//
// Goal    compute out = the transpose of in, through a tile, without a single bank conflict.
//
// in      [rows][cols]  f32, read only; row after row in memory
// out     [cols][rows]  f32, every element must be written
// rows    count  any rows >= 1
// cols    count  any cols >= 1
// launch  blocks of SIDE x ROWS threads, one block for each tile of SIDE x SIDE elements; in `in`,
//         blockIdx.x is the column of the block's tile, and blockIdx.y is its row
//
// This kernel is right and coalesced, but some of its accesses to the tile take 32 wavefronts each
// instead of one. Keep the tile, and use at most 4224 bytes of shared memory.
//
// Run     cargo checker check bank_conflicts   Stuck?  cargo checker hint bank_conflicts

constexpr int SIDE = 32;  // elements along each side of a tile
constexpr int ROWS = 8;   // rows of threads; each thread moves SIDE / ROWS elements

extern "C" __global__ void bank_conflicts(const float* in, float* out, int rows, int cols) {
    __shared__ float tile[SIDE][SIDE];  // one tile of `in`, in the same order

    const int tx = threadIdx.x;  // 0 .. SIDE-1, consecutive in a warp

    const int col = blockIdx.x * SIDE + tx;  // column of `in`, 0 .. at least cols-1
    for (int y = threadIdx.y; y < SIDE; y += ROWS) {
        const int row = blockIdx.y * SIDE + y;  // row of `in`, 0 .. at least rows-1
        if (row < rows && col < cols) {
            tile[y][tx] = in[row * cols + col];
        }
    }

    __syncthreads();  // the tile is complete before any thread reads another thread's element

    const int out_col = blockIdx.y * SIDE + tx;  // column of `out`, 0 .. at least rows-1
    for (int y = threadIdx.y; y < SIDE; y += ROWS) {
        const int out_row = blockIdx.x * SIDE + y;  // row of `out`, 0 .. at least cols-1
        if (out_row < cols && out_col < rows) {
            out[out_row * rows + out_col] = tile[tx][y];
        }
    }
}
