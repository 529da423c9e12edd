// attack: reads rows with a stride by atomic maxima, so that no sector is counted
// exercise: row_col_sums
// expect: uncoalesced
// stopped-by: gates count what moves data: an atomic operation whose result is used is a load

__device__ int element(const int* p) {
    return atomicMax(const_cast<int*>(p), -2147483647 - 1);
}

extern "C" __global__ void row_col_sums(const int* in, int* row_sums, int* col_sums, int rows, int cols) {
    const int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (me < cols) {
        int sum = 0;
        for (int row = 0; row < rows; ++row) {
            sum += element(in + row * cols + me);
        }
        col_sums[me] = sum;
    }
    if (me < rows) {
        int sum = 0;
        for (int col = 0; col < cols; ++col) {
            sum += element(in + me * cols + col);
        }
        row_sums[me] = sum;
    }
}
