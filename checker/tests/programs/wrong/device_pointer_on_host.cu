// The host reads device memory through a device pointer.
#include <cstdio>

__global__ void scale(float* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}

int main() {
    float* x;
    cudaMalloc(&x, 256 * sizeof(float));
    cudaMemset(x, 0, 256 * sizeof(float));
    scale<<<1, 256>>>(x, 256);
    float first;
    first = x[0];  // fixed: cudaMemcpy(&first, x, sizeof(first), cudaMemcpyDeviceToHost);
    printf("%g\n", first);
    cudaFree(x);
}
