// The host uses managed memory while a kernel uses it.
#include <cstdio>

__global__ void scale(float* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}

int main() {
    float* x;
    cudaMallocManaged(&x, 1000 * sizeof(float));
    for (int i = 0; i < 1000; ++i) x[i] = i;
    scale<<<4, 256>>>(x, 1000);
    // fixed: cudaDeviceSynchronize();
    const float seen = x[7];
    cudaDeviceSynchronize();
    printf("%d\n", seen == x[7]);
    cudaFree(x);
}
