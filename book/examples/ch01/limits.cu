// ANCHOR: all
#include <cstdio>

int main() {
    cudaDeviceProp gpu;
    cudaGetDeviceProperties(&gpu, 0);                           // (1)

    printf("name: %s\n", gpu.name);
    printf("multiprocessors: %d\n", gpu.multiProcessorCount);   // (2)
    printf("threads in a block, at most: %d\n", gpu.maxThreadsPerBlock);
    printf("blocks in x: %d\n", gpu.maxGridSize[0]);            // (3)
    printf("blocks in y: %d\n", gpu.maxGridSize[1]);
    printf("blocks in z: %d\n", gpu.maxGridSize[2]);
}
// ANCHOR_END: all
