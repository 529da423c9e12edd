#include <cstdio>

__global__ void hello() {
    printf("block %u, thread %u\n", blockIdx.x, threadIdx.x);
}

// ANCHOR: main
int main() {
    hello<<<1, 2048>>>();  // at most 1024
    cudaDeviceSynchronize();
}
// ANCHOR_END: main
