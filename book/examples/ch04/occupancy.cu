// Prints how many blocks of a kernel fit on a multiprocessor, for several
// sizes of a block's dynamic shared memory.
#include <cstdio>

// ANCHOR: kernel
// out[i] = table[key[i]], with the table in shared memory
__global__ void look_up(const float* table, int entries, const int* key,
                        float* out, int n) {
    extern __shared__ float local[];
    for (int i = threadIdx.x; i < entries; i += blockDim.x) {
        local[i] = table[i];
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        out[i] = local[key[i]];
    }
}
// ANCHOR_END: kernel

// ANCHOR: main
int main() {
    const int threads = 512;
    int most_threads, processors;
    cudaDeviceGetAttribute(&most_threads,
                           cudaDevAttrMaxThreadsPerMultiProcessor, 0);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    for (int kib : {16, 48, 64, 112, 227}) {
        size_t bytes = kib * 1024;
        cudaFuncSetAttribute(look_up,
                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                             bytes);
        int blocks;
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(          // (1)
            &blocks, look_up, threads, bytes);
        printf("%3d KiB: %d blocks, %4d threads, %3d %%, grid %d\n", kib,
               blocks, blocks * threads,
               100 * blocks * threads / most_threads,            // (2)
               blocks * processors);                             // (3)
    }
}
// ANCHOR_END: main
