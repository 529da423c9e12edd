// expect: uncoalesced
// Now the stores run along rows, and the loads down columns.

constexpr int SIDE = 32;

extern "C" __global__ void tile_transpose(const float* in, float* out, int rows, int cols) {
    const int row = blockIdx.y * SIDE + threadIdx.x;
    const int col = blockIdx.x * SIDE + threadIdx.y;

    if (row < rows && col < cols) {
        out[col * rows + row] = in[row * cols + col];
    }
}
