// The direction is the opposite of what the pointers require.
#include <cstdio>

int main() {
    int host[4] = {1, 2, 3, 4};
    int* device;
    cudaMalloc(&device, sizeof(host));
    cudaMemcpy(device, host, sizeof(host), cudaMemcpyDeviceToHost);  // fixed: cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFree(device);
}
