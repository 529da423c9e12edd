// Counts to 10 000 in three floating-point types.
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// ANCHOR: count
// adds 1 to each number, again and again
__global__ void count_up(__half* h, __nv_bfloat16* b, float* f, int steps) {
    __half one = __float2half(1.0f), sum_h = __float2half(0.0f);
    __nv_bfloat16 one_b = __float2bfloat16(1.0f);
    __nv_bfloat16 sum_b = __float2bfloat16(0.0f);
    float sum_f = 0.0f;
    for (int i = 0; i < steps; ++i) {
        sum_h = __hadd(sum_h, one);
        sum_b = __hadd(sum_b, one_b);
        sum_f += 1.0f;
    }
    *h = sum_h;
    *b = sum_b;
    *f = sum_f;
}
// ANCHOR_END: count

int main() {
    __half* h;
    __nv_bfloat16* b;
    float* f;
    cudaMallocManaged(&h, sizeof(__half));
    cudaMallocManaged(&b, sizeof(__nv_bfloat16));
    cudaMallocManaged(&f, sizeof(float));
    count_up<<<1, 1>>>(h, b, f, 10000);
    cudaDeviceSynchronize();
    printf("half %.0f, bfloat16 %.0f, float %.0f\n", __half2float(*h),
           __bfloat162float(*b), *f);
    cudaFree(h);
    cudaFree(b);
    cudaFree(f);
}
