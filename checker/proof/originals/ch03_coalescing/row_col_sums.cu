// row_col_sums | chapter 3 | "A thread for each column, a warp for each row"
//
// Goal    add up every column and every row, with at most 4.5 sectors of 32 bytes per request.
//
// in        [rows][cols]  int, read only; row after row in memory
// row_sums  [rows]        int, every element must be written, once
// col_sums  [cols]        int, every element must be written, once
// rows      count         any rows >= 1
// cols      count         any cols >= 1
// launch    1-D, whole warps; at least cols threads, and at least rows warps
//
// This kernel is right, but one of its two loops is slow. In which loop are the loads coalesced?
//
// Run     cargo checker check row_col_sums     Stuck?  cargo checker hint row_col_sums

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

    // a thread for each column
    if (me < cols) {
        int acc = 0;
        for (int row = 0; row < rows; row++) {
            acc += in[row * cols + me];
        }
        col_sums[me] = acc;
    }

    // a thread for each row
    if (me < rows) {
        int acc = 0;
        for (int col = 0; col < cols; col++) {
            acc += in[me * cols + col];
        }
        row_sums[me] = acc;
    }
}
