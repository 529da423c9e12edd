// Loads eight halves at a time, as four pairs.
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
    const __half2 factor = __float2half2_rn(a);
    x += size_t(blockIdx.x) * cols;
    y += size_t(blockIdx.x) * cols;

    float sum = 0.0f;
    // a row of other lengths doesn't begin at a multiple of 16 bytes
    const int eights = cols % 8 == 0 ? cols / 8 : 0;
    for (int i = threadIdx.x; i < eights; i += blockDim.x) {
        const uint4 from = reinterpret_cast<const uint4*>(x)[i];
        uint4 to = reinterpret_cast<uint4*>(y)[i];
        const __half2* own = reinterpret_cast<const __half2*>(&from);
        __half2* changed = reinterpret_cast<__half2*>(&to);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            changed[k] = __hfma2(factor, own[k], changed[k]);
            const float2 both = __half22float2(changed[k]);
            sum += both.x + both.y;
        }
        reinterpret_cast<uint4*>(y)[i] = to;
    }
    for (int i = 4 * eights + threadIdx.x; i < cols / 2; i += blockDim.x) {
        const __half2 changed = __hfma2(factor, reinterpret_cast<const __half2*>(x)[i],
                                        reinterpret_cast<__half2*>(y)[i]);
        reinterpret_cast<__half2*>(y)[i] = changed;
        const float2 both = __half22float2(changed);
        sum += both.x + both.y;
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
    }
}
