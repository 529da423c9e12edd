// expect: uninitialised-read
// Writes rows of 33 words, and reads rows of 32.

constexpr int SIDE = 32;  // elements of a tile on either side; a thread for each

extern "C" __global__ void bank_conflicts(const float* in, float* out, int rows, int cols) {
    __shared__ float tile[SIDE * (SIDE + 1)];

    const int tx = threadIdx.x;  // 0 .. SIDE-1, moves fastest in a warp
    const int ty = threadIdx.y;  // 0 .. SIDE-1

    const int row = blockIdx.y * SIDE + ty;  // of `in`, 0 .. at least rows-1
    const int col = blockIdx.x * SIDE + tx;  // of `in`, 0 .. at least cols-1
    if (row < rows && col < cols) {
        tile[ty * (SIDE + 1) + tx] = in[row * cols + col];
    }

    __syncthreads();  // the tile is complete before anyone reads what another thread has brought

    const int out_row = blockIdx.x * SIDE + ty;  // of `out`, 0 .. at least cols-1
    const int out_col = blockIdx.y * SIDE + tx;  // of `out`, 0 .. at least rows-1
    if (out_row < cols && out_col < rows) {
        out[out_row * rows + out_col] = tile[tx * SIDE + ty];
    }
}
