// half_axpy | chapter 12 | "Two halves at a time"
//
// Goal    compute y = a * x + y with halves, two elements in each instruction, and the sum of each
//         row of the new y as a float.
//
// x       [rows][cols]  __half, read only
// y       [rows][cols]  __half, read and changed
// sums    [rows]        f32, the sum of each row of y, after the change
// a       number        exact as a half
// cols    count         any even cols >= 2
// launch  one block of 256 threads for each row
//
// Run     cargo checker check half_axpy        Stuck?  cargo checker hint half_axpy

#include <cuda_fp16.h>

// the sum of the values of all 256 threads; only thread 0 gets it
__device__ float block_sum(float value) {
    __shared__ float sums_of_warps[8];
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_down_sync(0xffffffffu, value, offset);
    }
    if (threadIdx.x % 32 == 0) {
        sums_of_warps[threadIdx.x / 32] = value;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < 8; ++warp) {
            value += sums_of_warps[warp];
        }
    }
    return value;
}

extern "C" __global__ void half_axpy(const __half* x, __half* y, float* sums, float a, int cols) {
    const int row = blockIdx.x;

    // TODO 1: declare pointers to the pairs in this row of x and of y, and make the pair (a, a).

    // TODO 2: declare this thread's sum. Which type does it need if a row has 50 000 elements?

    // TODO 3: in a loop over the pairs, compute and store y, and add both elements to the sum.

    // TODO 4: add up the sums of all threads. Which of them stores the result?
}
