// Mixes two images in pairs of halves.
#include <cstdio>
#include <cuda_fp16.h>

// ANCHOR: mix
// out = (1 - part) * a + part * b for n elements; n is even
__global__ void mix(const __half* a, const __half* b, __half* out, float part,
                    int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {                                                   // (1)
        __half2 from = reinterpret_cast<const __half2*>(a)[i];         // (2)
        __half2 to = reinterpret_cast<const __half2*>(b)[i];
        __half2 parts = __float2half2_rn(part);                        // (3)
        __half2 mixed = __hfma2(parts, __hsub2(to, from), from);       // (4)
        reinterpret_cast<__half2*>(out)[i] = mixed;
    }
}
// ANCHOR_END: mix

int main() {
    __half *a, *b, *out, host[6];
    cudaMalloc(&a, sizeof(host));
    cudaMalloc(&b, sizeof(host));
    cudaMalloc(&out, sizeof(host));
    for (int i = 0; i < 6; ++i) {
        host[i] = __float2half(i);
    }
    cudaMemcpy(a, host, sizeof(host), cudaMemcpyHostToDevice);
    for (int i = 0; i < 6; ++i) {
        host[i] = __float2half(10 * i);
    }
    cudaMemcpy(b, host, sizeof(host), cudaMemcpyHostToDevice);
    mix<<<1, 32>>>(a, b, out, 0.25f, 6);
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    printf("mixed:");
    for (int i = 0; i < 6; ++i) {
        printf(" %.2f", __half2float(host[i]));
    }
    printf("\n");
    cudaFree(a);
    cudaFree(b);
    cudaFree(out);
}
