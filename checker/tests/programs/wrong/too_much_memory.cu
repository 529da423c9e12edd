// More memory than the device has, because the size is multiplied by the size of an element twice.
#include <cstdio>

int main() {
    const size_t n = 1ull << 31, bytes = n * sizeof(double);
    double* x = nullptr;
    const cudaError_t error = cudaMalloc(&x, bytes * sizeof(double));  // fixed: const cudaError_t error = cudaMalloc(&x, bytes / 16);
    printf("%d\n", error == cudaSuccess);
    cudaFree(x);
}
