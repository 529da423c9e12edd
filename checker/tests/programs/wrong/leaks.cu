// Each step allocates a buffer, and none is freed.
#include <cstdio>

__global__ void scale(float* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}

int main() {
    for (int step = 0; step < 3; ++step) {
        float* x;
        cudaMalloc(&x, 256 * sizeof(float));
        cudaMemset(x, 0, 256 * sizeof(float));
        scale<<<1, 256>>>(x, 256);
        // fixed: cudaFree(x);
    }
    cudaDeviceSynchronize();
    printf("done\n");
}
