// With tile[tx][y], a warp reads a column. If the rows have 32 words, the column is in one bank,
// and if they have 33 words, it's spread over all 32 banks. For 65 536 elements, the 4096 requests
// now take 4096 wavefronts instead of 67 584, with 128 more bytes of shared memory. No index has
// changed, because the kernel never uses the 33rd column, which only shifts the rows.

constexpr int SIDE = 32;  // elements along each side of a tile
constexpr int ROWS = 8;   // rows of threads; each thread moves SIDE / ROWS elements

extern "C" __global__ void bank_conflicts(const float* in, float* out, int rows, int cols) {
    // A row has one word more than it needs, so each row begins one bank after the row above.
    __shared__ float tile[SIDE][SIDE + 1];

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
