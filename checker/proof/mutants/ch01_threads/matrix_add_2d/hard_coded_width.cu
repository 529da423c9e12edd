// expect: out-of-bounds-write
// Right for rows of 512 elements only.

extern "C" __global__ void matrix_add_2d(const float* a, const float* b, float* out, int rows,
                                         int cols) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int col = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < rows && col < cols) {
        const int idx = row * 512 + col;
        out[idx] = a[idx] + b[idx];
    }
}
