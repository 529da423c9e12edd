// Two kernels process one half each, but both include the element in the middle.
#include <cstdio>

__global__ void scale(float* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}

int main() {
    const int n = 512;
    float* x;
    cudaMalloc(&x, n * sizeof(float));
    cudaMemset(x, 0, n * sizeof(float));
    cudaStream_t left, right;
    cudaStreamCreate(&left);
    cudaStreamCreate(&right);
    scale<<<2, 256, 0, left>>>(x, n / 2 + 1);  // fixed: scale<<<2, 256, 0, left>>>(x, n / 2);
    scale<<<2, 256, 0, right>>>(x + n / 2, n / 2);
    cudaDeviceSynchronize();
    cudaStreamDestroy(left);
    cudaStreamDestroy(right);
    cudaFree(x);
    printf("done\n");
}
