#include <cstdio>

// ANCHOR: kernel
__global__ void seats(int* row_of) {
    int seat = blockIdx.x * 4 + threadIdx.x;                    // (1)
    row_of[seat] = blockIdx.x;                                  // (2)
}
// ANCHOR_END: kernel

int main() {
    const int n = 12;
    int* row_of;
    cudaMallocManaged(&row_of, n * sizeof(int));

    // ANCHOR: launch
    seats<<<3, 4>>>(row_of);                                    // (3)
    // ANCHOR_END: launch
    cudaDeviceSynchronize();

    for (int seat = 0; seat < n; seat++) {
        printf("%d ", row_of[seat]);
    }
    printf("\n");
    cudaFree(row_of);
}
