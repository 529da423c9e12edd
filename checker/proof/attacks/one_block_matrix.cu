// attack: one block adds two whole matrices
// exercise: matrix_add_2d
// expect: gate-missed
// stopped-by: gates: the warp with the most instructions

extern "C" __global__ void matrix_add_2d(const float* a, const float* b, float* out, int rows,
                                         int cols) {
    if (blockIdx.x + blockIdx.y > 0) return;
    const int me = threadIdx.y * blockDim.x + threadIdx.x;
    for (int i = me; i < rows * cols; i += blockDim.x * blockDim.y) out[i] = a[i] + b[i];
}
