// The host and a kernel use different halves of one managed array at the same time, which needs no order on a device with
// concurrent managed access.
#include <cstdio>

__global__ void fill(int* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = i;
}

int main() {
    const int n = 1000;
    int *x, *own;
    cudaMallocManaged(&x, 2 * n * sizeof(int));
    cudaMallocManaged(&own, sizeof(int));
    fill<<<4, 256>>>(x, n);
    for (int i = n; i < 2 * n; ++i) x[i] = -i;
    *own = 5;
    cudaDeviceSynchronize();
    long sum = 0;
    for (int i = 0; i < 2 * n; ++i) sum += x[i];
    printf("%ld %d\n", sum, *own);
    cudaFree(own);
    cudaFree(x);
}
