// attack: converts the halves, and computes one element at a time in floats
// exercise: half_axpy
// expect: gate-missed
// stopped-by: the instructions that each warp executes

#include <cuda_fp16.h>

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
    const auto* xs = reinterpret_cast<const __half2*>(x + size_t(blockIdx.x) * cols);
    auto* ys = reinterpret_cast<__half2*>(y + size_t(blockIdx.x) * cols);
    float sum = 0.0f;
#pragma unroll 8
    for (int k = threadIdx.x; k < cols / 2; k += 256) {
        const float2 p = __half22float2(xs[k]);
        const float2 r = __half22float2(ys[k]);
        const __half2 both = __floats2half2_rn(fmaf(a, p.x, r.x), fmaf(a, p.y, r.y));
        ys[k] = both;
        sum += __low2float(both) + __high2float(both);
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
    }
}
