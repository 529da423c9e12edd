// attack: reads a column of shared memory by atomic operations, whose bank conflicts are counted elsewhere
// exercise: bank_conflicts
// expect: bank-conflict
// stopped-by: gates count what moves data: an atomic operation has the bank conflicts of a load

constexpr int SIDE = 32;

extern "C" __global__ void bank_conflicts(const float* in, float* out, int rows, int cols) {
    __shared__ int tile[SIDE][SIDE];
    const int tx = threadIdx.x;
    const int col = blockIdx.x * SIDE + tx, out_col = blockIdx.y * SIDE + tx;
    for (int y = threadIdx.y; y < SIDE; y += blockDim.y) {
        const int row = blockIdx.y * SIDE + y;
        volatile int* mine = &tile[y][tx];
        if (row < rows && col < cols) {
            *mine = __float_as_int(in[row * cols + col]);
        }
    }
    __syncthreads();
    for (int y = threadIdx.y; y < SIDE; y += blockDim.y) {
        const int out_row = blockIdx.x * SIDE + y;
        if (out_row < cols && out_col < rows) {
            out[out_row * rows + out_col] = __int_as_float(atomicOr(&tile[tx][y], 0));
        }
    }
    __syncthreads();
    for (int y = threadIdx.y; y < SIDE; y += blockDim.y) {
        *(volatile int*)&tile[y][tx] = 0;
    }
}
