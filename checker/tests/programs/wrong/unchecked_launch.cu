// A block has too many threads, and the program does not check whether the kernel ran.
#include <cstdio>

__global__ void scale(float* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}

int main() {
    const int n = 2000;
    float* x;
    cudaMalloc(&x, n * sizeof(float));
    cudaMemset(x, 0, n * sizeof(float));
    scale<<<1, n>>>(x, n);  // fixed: scale<<<(n + 255) / 256, 256>>>(x, n);
    cudaDeviceSynchronize();
    cudaFree(x);
    printf("done\n");
}
