#include <cstdio>

// ANCHOR: kernel
__global__ void seats(int* row_of) {
    int seat = threadIdx.x;  // 0 to 3 only
    row_of[seat] = blockIdx.x;
}
// ANCHOR_END: kernel

int main() {
    const int n = 12;
    int* row_of;
    cudaMallocManaged(&row_of, n * sizeof(int));

    seats<<<3, 4>>>(row_of);
    cudaDeviceSynchronize();

    for (int seat = 0; seat < n; seat++) {
        printf("%d ", row_of[seat]);
    }
    printf("\n");
    cudaFree(row_of);
}
