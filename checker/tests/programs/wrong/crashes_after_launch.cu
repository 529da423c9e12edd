// The kernel writes past the array, and then the host crashes before it has waited.
#include <cstdio>

__global__ void fill(int* x, int n) {
    if (threadIdx.x <= n) x[threadIdx.x] = 1;  // fixed: if (threadIdx.x < n) x[threadIdx.x] = 1;
}

int main() {
    int *x, *nowhere = nullptr;
    cudaMalloc(&x, 100 * sizeof(int));
    fill<<<1, 128>>>(x, 100);
    nowhere[0] = 1;  // fixed: (void)nowhere;
    cudaFree(x);
}
