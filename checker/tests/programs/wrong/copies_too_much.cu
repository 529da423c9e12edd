// The copy has the size of another, larger array.
#include <cstdio>

int main() {
    const int n = 100;
    float host[2 * n] = {};
    float* device;
    cudaMalloc(&device, n * sizeof(float));
    cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice);  // fixed: cudaMemcpy(device, host, n * sizeof(float), cudaMemcpyHostToDevice);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFree(device);
}
