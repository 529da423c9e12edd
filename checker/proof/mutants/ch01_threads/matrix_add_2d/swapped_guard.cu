// expect: out-of-bounds-write
// The guards kept their old partners: the row is compared with cols.

extern "C" __global__ void matrix_add_2d(const float* a, const float* b, float* out, int rows,
                                         int cols) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int col = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < cols && col < rows) {
        const int idx = row * cols + col;
        out[idx] = a[idx] + b[idx];
    }
}
