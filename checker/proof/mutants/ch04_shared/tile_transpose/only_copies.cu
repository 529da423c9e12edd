// expect: wrong-values
// Coalesced both ways, and nothing has been turned.

constexpr int SIDE = 32;

extern "C" __global__ void tile_transpose(const float* in, float* out, int rows, int cols) {
    const int row = blockIdx.y * SIDE + threadIdx.y;
    const int col = blockIdx.x * SIDE + threadIdx.x;

    if (row < rows && col < cols) {
        out[row * cols + col] = in[row * cols + col];
    }
}
