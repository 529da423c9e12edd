// ANCHOR: all
#include <cstdio>                                               // (1)

__global__ void hello() {                                       // (2)
    printf("block %u, thread %u\n", blockIdx.x, threadIdx.x);   // (3)
}

int main() {                                                    // (4)
    hello<<<2, 4>>>();                                          // (5)
    cudaDeviceSynchronize();                                    // (6)
}
// ANCHOR_END: all
