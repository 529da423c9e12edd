// expect: uncoalesced
// One thread loops over each row; the result is right, but each warp reads down a column.

extern "C" __global__ void matrix_add_2d(const float* a, const float* b, float* out, int rows,
                                         int cols) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < rows && blockIdx.y == 0 && threadIdx.y == 0) {
        for (int col = 0; col < cols; col++) {
            out[row * cols + col] = a[row * cols + col] + b[row * cols + col];
        }
    }
}
