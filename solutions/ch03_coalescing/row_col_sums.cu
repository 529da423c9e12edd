// Neighbouring threads must read neighbouring elements, so a whole warp adds up each row. For the
// columns, one thread per column was right from the start. The kernel loads each element twice,
// with 4 sectors per request, and each row takes one call of sum_of_warp and one store. All lanes
// must make this call, so a lane without a column passes 0.

// Adds up the values of a warp's 32 lanes, and returns the sum to each of these lanes. All 32 lanes
// must call this function together. Chapter 6 shows how it works.
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
        acc = sum_of_warp(acc);
        if (lane == 0) {
            row_sums[warp] = acc;
        }
    }
}
