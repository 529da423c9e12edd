// A kernel reads a few elements of a large table in the host's memory.
#include <cstdio>

// ANCHOR: kernel
__global__ void lookup(const float* table, const int* wanted, float* found,
                       int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        found[i] = table[wanted[i]];
    }
}
// ANCHOR_END: kernel

// ANCHOR: main
int main() {
    const int size = 1000000;
    const int n = 4;

    float* table;                                                 // (1)
    int* wanted;
    float* found;
    cudaHostAlloc(&table, size * sizeof(float), cudaHostAllocMapped);
    cudaHostAlloc(&wanted, n * sizeof(int), cudaHostAllocMapped);
    cudaHostAlloc(&found, n * sizeof(float), cudaHostAllocMapped);
    for (int i = 0; i < size; ++i) {
        table[i] = 0.5f * i;                                      // (2)
    }
    for (int i = 0; i < n; ++i) {
        wanted[i] = 100 * i;
    }

    float *d_table, *d_found;
    int* d_wanted;
    cudaHostGetDevicePointer(&d_table, table, 0);                 // (3)
    cudaHostGetDevicePointer(&d_wanted, wanted, 0);
    cudaHostGetDevicePointer(&d_found, found, 0);

    lookup<<<1, 32>>>(d_table, d_wanted, d_found, n);
    cudaDeviceSynchronize();                                      // (4)

    for (int i = 0; i < n; ++i) {
        printf("table[%d] = %g\n", wanted[i], found[i]);
    }
    cudaFreeHost(table);                                          // (5)
    cudaFreeHost(wanted);
    cudaFreeHost(found);
}
// ANCHOR_END: main
