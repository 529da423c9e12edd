// The program ends with _Exit, which must not hide what its kernel did.
#include <cstdio>
#include <cstdlib>

__global__ void fill(int* x, int n) {
    if (threadIdx.x <= n) x[threadIdx.x] = 1;  // fixed: if (threadIdx.x < n) x[threadIdx.x] = 1;
}

int main() {
    int* x;
    cudaMalloc(&x, 100 * sizeof(int));
    fill<<<1, 128>>>(x, 100);
    cudaDeviceSynchronize();
    cudaFree(x);
    printf("done\n");
    fflush(stdout);
    std::_Exit(0);
}
