#include <cstdio>

__global__ void hello() {
    printf("block %u, thread %u\n", blockIdx.x, threadIdx.x);
}

// ANCHOR: main
int main() {
    hello<<<2, 4>>>();  // nothing waits
}
// ANCHOR_END: main
