// attack: reads a column of shared memory by atomic operations, whose bank conflicts are counted elsewhere
// exercise: bank_conflicts
// expect: bank-conflict
// stopped-by: gates count what moves data: an atomic operation has the bank conflicts of a load

constexpr int SIDE = 32;

extern "C" __global__ void bank_conflicts(const float* in, float* out, int rows, int cols) {
    __shared__ int tile[SIDE][SIDE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * SIDE + ty, col = blockIdx.x * SIDE + tx;
    volatile int* mine = &tile[ty][tx];
    if (row < rows && col < cols) {
        *mine = __float_as_int(in[row * cols + col]);
    }
    __syncthreads();
    const int out_row = blockIdx.x * SIDE + ty, out_col = blockIdx.y * SIDE + tx;
    if (out_row < cols && out_col < rows) {
        out[out_row * rows + out_col] = __int_as_float(atomicOr(&tile[tx][ty], 0));
    }
    __syncthreads();
    *mine = 0;
}
