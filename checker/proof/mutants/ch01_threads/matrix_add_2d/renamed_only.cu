// expect: uncoalesced
// Swaps the names and leaves who does what: x still runs down a column.

extern "C" __global__ void matrix_add_2d(const float* a, const float* b, float* out, int rows,
                                         int cols) {
    const int col = blockIdx.y * blockDim.y + threadIdx.y;
    const int row = blockIdx.x * blockDim.x + threadIdx.x;

    if (col < cols && row < rows) {
        const int idx = cols * row + col;
        out[idx] = b[idx] + a[idx];
    }
}
