// register_budget | chapter 11 | "Registers, and what doesn't fit"
//
// Goal    no local memory, and at least 32 resident warps on a multiprocessor.
//
// stack   [63][n]  f32, read only: 63 pictures of the same part of the sky, with n pixels each
// median  [n]      f32, the median of a pixel's 63 values: 31 of them are smaller or equal, and 31
//                  are greater or equal
// n       count    any n >= 1
// launch  1-D, blocks of 256 threads, at least n threads
//
// A thread never has more than 33 values. In each round, it drops the least and the greatest value,
// which can't be the median, and loads one new value, until three values are left.
//
// Run     cargo checker check register_budget  Stuck?  cargo checker hint register_budget

constexpr int PICTURES = 63;
constexpr int KEPT = PICTURES / 2 + 2;  // values at the beginning

__device__ void put_in_order(float& low, float& high) {
    const float least = fminf(low, high);
    high = fmaxf(low, high);
    low = least;
}

extern "C" __global__ void register_budget(const float* stack, float* median, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }

    float v[KEPT];
#pragma unroll
    for (int k = 0; k < KEPT; ++k) {
        v[k] = stack[k * n + i];
    }
#pragma unroll
    for (int left = KEPT; left >= 3; --left) {
#pragma unroll
        for (int k = 0; k + 1 < left; ++k) {
            put_in_order(v[k], v[k + 1]);  // the greatest value moves to v[left - 1]
        }
#pragma unroll
        for (int k = left - 2; k > 0; --k) {
            put_in_order(v[k - 1], v[k]);  // the least value moves to v[0]
        }
        if (left > 3) {
            v[0] = stack[(2 * KEPT - left) * n + i];
        }
    }
    median[i] = v[1];
}
