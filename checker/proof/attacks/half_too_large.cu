// attack: multiplies the results by 1.05, although the sums are right
// exercise: half_axpy
// expect: wrong-values
// stopped-by: the tolerance: halves have to be equal to the rounded reference

#include <cuda_fp16.h>
__device__ float block_sum(float value) {
    __shared__ float sums_of_warps[8];
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
    if (threadIdx.x % 32 == 0) sums_of_warps[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0) for (int warp = 1; warp < 8; ++warp) value += sums_of_warps[warp];
    return value;
}
extern "C" __global__ void half_axpy(const __half* x, __half* y, float* sums, float a, int cols) {
    const int row = blockIdx.x;
    const __half2* px = reinterpret_cast<const __half2*>(x + size_t(row) * cols);
    __half2* py = reinterpret_cast<__half2*>(y + size_t(row) * cols);
    const __half2 aa = __float2half2_rn(a), wrong = __float2half2_rn(1.05f);
    float sum = 0.0f;
    for (int i = threadIdx.x; i < cols / 2; i += 256) {
        const __half2 v = __hfma2(aa, px[i], py[i]);
        py[i] = __hmul2(v, wrong);
        sum += __low2float(v) + __high2float(v);
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) sums[row] = sum;
}
