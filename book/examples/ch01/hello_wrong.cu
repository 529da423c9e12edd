#include <cstdio>

__global__ void hello() {
    printf("block %u, thread %u\n", blockIdx.x, threadIdx.x);
}

// ANCHOR: main
int main() {
    hello<<<2, 4>>>();  // the host doesn't wait
}
// ANCHOR_END: main
