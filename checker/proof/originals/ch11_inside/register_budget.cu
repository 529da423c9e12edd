// register_budget | chapter 11 | "Registers and spilling"
//
// Goal    use no local memory, and keep at least 32 warps resident on an H100's multiprocessor.
//
// stack   [63][n]  f32, read only: 63 pictures of the same part of the sky, with n pixels each
// median  [n]      f32, the median of a pixel's 63 values: 31 of the others are at most the
//                  median, and 31 are at least the median
// n       count    any n >= 1
// launch  1-D, blocks of 256 threads, at least n threads
//
// A satellite leaves a bright line on one picture, and the median removes it. The kernel is right:
// each thread sorts the 63 values of a pixel. Its launch bounds require room for 8 blocks on
// a multiprocessor, so on an H100, a thread has only 32 registers for 63 values.
//
// Run     cargo checker check register_budget  Stuck?  cargo checker hint register_budget

constexpr int PICTURES = 63;

__device__ void put_in_order(float& low, float& high) {
    const float least = fminf(low, high);
    high = fmaxf(low, high);
    low = least;
}

// TODO 1: how many registers does a thread get if you don't ask for 8 blocks? How many blocks fit?
extern "C" __global__ void __launch_bounds__(256, 8)
register_budget(const float* stack, float* median, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }

    // TODO 2: find the median with fewer values at the same time. If you put 33 of the 63 values
    //         in order, you can leave out the least and the greatest of them.
    float v[PICTURES];
#pragma unroll
    for (int k = 0; k < PICTURES; ++k) {
        v[k] = stack[k * n + i];
    }
#pragma unroll
    for (int round = 0; round < PICTURES; ++round) {
#pragma unroll
        for (int k = round % 2; k + 1 < PICTURES; k += 2) {
            put_in_order(v[k], v[k + 1]);
        }
    }
    median[i] = v[PICTURES / 2];
}
