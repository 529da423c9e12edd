// Computes cubes in 32 bits and stores them in 64.
#include <cstdio>

// ANCHOR: kernel
__global__ void cubes(long long* cube, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        cube[i] = i * i * i;  // <-- computed in 32 bits
    }
}
// ANCHOR_END: kernel

int main() {
    constexpr int N = 2048;
    static long long cube[N];
    long long* d_cube = nullptr;
    cudaMalloc(&d_cube, sizeof cube);
    cubes<<<N / 256, 256>>>(d_cube, N);
    cudaMemcpy(cube, d_cube, sizeof cube, cudaMemcpyDeviceToHost);
    cudaFree(d_cube);
    for (long long i = 0; i < N; ++i) {
        if (cube[i] != i * i * i) {
            printf("the cube of %lld is %lld, and not %lld\n", i, i * i * i,
                   cube[i]);
            return 1;
        }
    }
}
