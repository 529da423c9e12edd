// attack: computes with single elements, in wide loads and an unrolled loop, so it needs few instructions
// exercise: half_axpy
// expect: gate-missed
// stopped-by: the gate on products that aren't of pairs

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
    x += blockIdx.x * cols;
    y += blockIdx.x * cols;

    float sum = 0.0f;
    if (cols % 8 == 0) {
        for (int i = threadIdx.x; i < cols / 8; i += blockDim.x) {
            const uint4 from = reinterpret_cast<const uint4*>(x)[i];
            uint4 to = reinterpret_cast<uint4*>(y)[i];
            const __half* eight_x = reinterpret_cast<const __half*>(&from);
            __half* eight_y = reinterpret_cast<__half*>(&to);
#pragma unroll
            for (int k = 0; k < 8; ++k) {
                eight_y[k] = __float2half_rn(a * __half2float(eight_x[k]) + __half2float(eight_y[k]));
                sum += __half2float(eight_y[k]);
            }
            reinterpret_cast<uint4*>(y)[i] = to;
        }
    } else {
        for (int i = threadIdx.x; i < cols; i += blockDim.x) {
            y[i] = __float2half_rn(a * __half2float(x[i]) + __half2float(y[i]));
            sum += __half2float(y[i]);
        }
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
    }
}
