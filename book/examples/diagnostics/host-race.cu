#include <cstdio>

int main() {
    float *x, *host;
    cudaMalloc(&x, 256 * sizeof(float));
    cudaMemset(x, 0, 256 * sizeof(float));
    cudaMallocHost(&host, 256 * sizeof(float));
    cudaMemcpyAsync(host, x, 256 * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", host[3]);
    cudaDeviceSynchronize();
    cudaFree(x);
    cudaFreeHost(host);
}
