// tile_transpose | chapter 4 | "Change direction in shared memory"
//
// Goal    compute out = the transpose of in, with at most 4.5 sectors of 32 bytes per request.
//
// in      [rows][cols]  f32, read only; row after row in memory
// out     [cols][rows]  f32, every element must be written
// rows    count  any rows >= 1
// cols    count  any cols >= 1
// launch  blocks of SIDE x SIDE threads; in `in`, blockIdx.x is the column of the block's tile, and
//         blockIdx.y is its row
//
// This kernel is right but slow, because each warp reads a row and writes a column.
//
// Run     cargo checker check tile_transpose   Stuck?  cargo checker hint tile_transpose

constexpr int SIDE = 32;  // elements along each side of a tile; one thread for each element

extern "C" __global__ void tile_transpose(const float* in, float* out, int rows, int cols) {
    const int row = blockIdx.y * SIDE + threadIdx.y;  // 0 .. at least rows-1
    const int col = blockIdx.x * SIDE + threadIdx.x;  // 0 .. at least cols-1

    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];
    }
}
