// tile[tx][ty] goes down a column, which lies in one bank if the rows have 32 words but spreads
// over all 32 banks if they have 33. The 65 536 elements take 4096 requests and now as many turns
// instead of 67 584, at the price of 128 bytes of shared memory. No index has changed, because the
// 33rd column is never used and only shifts the rows against each other.

constexpr int SIDE = 32;  // elements along each side of a tile; one thread for each element

extern "C" __global__ void bank_conflicts(const float* in, float* out, int rows, int cols) {
    // A row has one word more than it needs, so each row begins one bank after the row above.
    __shared__ float tile[SIDE][SIDE + 1];

    const int tx = threadIdx.x;  // 0 .. SIDE-1, moves fastest in a warp
    const int ty = threadIdx.y;  // 0 .. SIDE-1

    const int row = blockIdx.y * SIDE + ty;  // of `in`, 0 .. at least rows-1
    const int col = blockIdx.x * SIDE + tx;  // of `in`, 0 .. at least cols-1
    if (row < rows && col < cols) {
        tile[ty][tx] = in[row * cols + col];
    }

    __syncthreads();  // the tile is complete before any thread reads another thread's element

    const int out_row = blockIdx.x * SIDE + ty;  // of `out`, 0 .. at least cols-1
    const int out_col = blockIdx.y * SIDE + tx;  // of `out`, 0 .. at least rows-1
    if (out_row < cols && out_col < rows) {
        out[out_row * rows + out_col] = tile[tx][ty];
    }
}
