// expect: written-twice
// Guards the flat index only: columns past the last one do the next row's work again.

extern "C" __global__ void matrix_add_2d(const float* a, const float* b, float* out, int rows,
                                         int cols) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int idx = row * cols + col;

    if (idx < rows * cols) {
        out[idx] = a[idx] + b[idx];
    }
}
