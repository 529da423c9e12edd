// expect: wrong-values
// Forgets y altogether.

extern "C" __global__ void matrix_add_2d(const float* a, const float* b, float* out, int rows,
                                         int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;

    if (col < cols) {
        out[col] = a[col] + b[col];
    }
}
