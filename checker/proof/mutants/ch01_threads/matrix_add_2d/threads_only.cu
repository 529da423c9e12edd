// expect: wrong-values
// Forgets the blocks: only the first tile is done, over and over.

extern "C" __global__ void matrix_add_2d(const float* a, const float* b, float* out, int rows,
                                         int cols) {
    const int row = threadIdx.y;
    const int col = threadIdx.x;

    if (row < rows && col < cols) {
        const int idx = row * cols + col;
        out[idx] = a[idx] + b[idx];
    }
}
