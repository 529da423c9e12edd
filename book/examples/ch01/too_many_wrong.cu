#include <cstdio>

__global__ void hello() {
    printf("block %u, thread %u\n", blockIdx.x, threadIdx.x);
}

// ANCHOR: main
int main() {
    hello<<<1, 2048>>>();  // a block can't have more than 1024 threads
    cudaDeviceSynchronize();
}
// ANCHOR_END: main
