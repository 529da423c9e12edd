// expect: wrong-values
// Swaps the threads and forgets the blocks: right by luck on square blocks.

extern "C" __global__ void matrix_add_2d(const float* a, const float* b, float* out, int rows,
                                         int cols) {
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    const int col = blockIdx.y * blockDim.x + threadIdx.x;

    if (row < rows && col < cols) {
        const int idx = row * cols + col;
        out[idx] = a[idx] + b[idx];
    }
}
