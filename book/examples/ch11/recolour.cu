// Prints how many blocks of a kernel with a table in shared memory are resident
// on a multiprocessor, for several sizes of the blocks.
#include <cstdio>

constexpr int COLOURS = 5120;

// ANCHOR: kernel
// out[i] = table[colour[i]], with a copy of the table in each block
__global__ void recolour(const int* table, const int* colour, int* out,
                         int n) {
    __shared__ int copy[COLOURS];  // 20 KiB
    for (int k = threadIdx.x; k < COLOURS; k += blockDim.x) {
        copy[k] = table[k];
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        out[i] = copy[colour[i]];
    }
}
// ANCHOR_END: kernel

// ANCHOR: main
int main() {
    for (int threads : {32, 64, 128, 256, 512}) {
        int blocks;
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, recolour,
                                                      threads, 0);
        printf("%3d threads: %2d blocks, %2d warps\n", threads, blocks,
               blocks * threads / 32);
    }
}
// ANCHOR_END: main
