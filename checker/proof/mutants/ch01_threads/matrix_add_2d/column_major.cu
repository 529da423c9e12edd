// expect: uncoalesced
// x is the column now, but the index runs down the columns: the sums are right all the same.

extern "C" __global__ void matrix_add_2d(const float* a, const float* b, float* out, int rows,
                                         int cols) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int col = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < rows && col < cols) {
        const int idx = col * rows + row;
        out[idx] = a[idx] + b[idx];
    }
}
