#include <cstdio>

__global__ void hello() {
    printf("block %u, thread %u\n", blockIdx.x, threadIdx.x);
}

// ANCHOR: main
int main() {
    hello<<<2, 4>>>();  // the program ends without waiting
}
// ANCHOR_END: main
