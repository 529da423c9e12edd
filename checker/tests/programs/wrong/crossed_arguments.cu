// The launch passes the arrays in the wrong order, and they have different lengths.
#include <cstdio>

__global__ void spread(const float* few, float* many, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) many[i] = few[i / 4];
}

int main() {
    float *d_few, *d_many, h = 0;
    cudaMalloc(&d_few, 16 * sizeof(float));
    cudaMalloc(&d_many, 64 * sizeof(float));
    cudaMemset(d_few, 0, 16 * sizeof(float));
    cudaMemset(d_many, 0, 64 * sizeof(float));
    spread<<<1, 64>>>(d_many, d_few, 64);  // fixed: spread<<<1, 64>>>(d_few, d_many, 64);
    cudaMemcpy(&h, d_many, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h);
    cudaFree(d_few);
    cudaFree(d_many);
}
