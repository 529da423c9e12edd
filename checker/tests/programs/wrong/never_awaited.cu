// Nothing waits for the kernel, so what it prints is lost.
#include <cstdio>

__global__ void hello() {
    printf("hello from thread %d\n", threadIdx.x);
}

int main() {
    hello<<<1, 4>>>();
    // fixed: cudaDeviceSynchronize();
    printf("done\n");
}
