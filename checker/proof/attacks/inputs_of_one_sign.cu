// attack: the sign of `x` is ignored
// exercise: half_axpy
// expect: wrong-values
// stopped-by: inputs of this kind in one of the cases

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

    const __half2* x_pairs = reinterpret_cast<const __half2*>(x + row * cols);
    __half2* y_pairs = reinterpret_cast<__half2*>(y + row * cols);
    const __half2 a_pair = __float2half2_rn(a);

    float sum = 0.0f;
    for (int i = threadIdx.x; i < cols / 2; i += blockDim.x) {
        const __half2 pair = __hfma2(a_pair, __habs2(x_pairs[i]), y_pairs[i]);
        y_pairs[i] = pair;
        const float2 both = __half22float2(pair);
        sum += both.x + both.y;
    }

    sum = block_sum(sum);
    if (threadIdx.x == 0) {
        sums[row] = sum;
    }
}
