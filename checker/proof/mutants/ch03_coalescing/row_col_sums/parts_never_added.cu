// expect: wrong-values
// Lane 0 writes its own part: right by luck when a row is one element long.

__device__ int sum_of_warp(int value) {
    for (int step = 16; step > 0; step /= 2) {
        value += __shfl_xor_sync(0xffffffff, value, step);
    }
    return value;
}

extern "C" __global__ void row_col_sums(const int* in, int* row_sums, int* col_sums, int rows,
                                        int cols) {
    const int me = blockIdx.x * blockDim.x + threadIdx.x;  // 0 .. threads-1
    const int warp = me / 32;                              // 0 .. warps-1
    const int lane = me % 32;                              // 0 .. 31

    // a thread for each column
    if (me < cols) {
        int acc = 0;
        for (int row = 0; row < rows; row++) {
            acc += in[row * cols + me];
        }
        col_sums[me] = acc;
    }

    // a warp for each row: the condition is the same for all its lanes
    if (warp < rows) {
        int acc = 0;
        for (int col = lane; col < cols; col += 32) {
            acc += in[warp * cols + col];
        }
        if (lane == 0) {
            row_sums[warp] = acc;
        }
    }
}
