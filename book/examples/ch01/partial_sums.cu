#include <cstdio>

// ANCHOR: kernel
__global__ void partial_sums(const float* in, float* sums, int n) {
    int me = blockIdx.x * blockDim.x + threadIdx.x;             // (1)
    int threads = gridDim.x * blockDim.x;                       // (2)

    float sum = 0.0f;
    for (int i = me; i < n; i += threads) {                     // (3)
        sum += in[i];
    }
    sums[me] = sum;                                             // (4)
}
// ANCHOR_END: kernel

int main() {
    const int n = 10000, grid = 4, block = 128;
    float *in, *sums;
    cudaMallocManaged(&in, n * sizeof(float));
    cudaMallocManaged(&sums, grid * block * sizeof(float));
    for (int i = 0; i < n; i++) {
        in[i] = i % 10;
    }

    partial_sums<<<grid, block>>>(in, sums, n);
    cudaDeviceSynchronize();

    float total = 0.0f;
    for (int t = 0; t < grid * block; t++) {
        total += sums[t];
    }
    printf("%d threads added up %d elements\n", grid * block, n);
    printf("the total is %g, and 45000 is right\n", total);
    cudaFree(in);
    cudaFree(sums);
}
