// The results are copied after their memory was freed.
#include <cstdio>

int main() {
    int host[4] = {};
    int* device;
    cudaMalloc(&device, sizeof(host));
    cudaMemset(device, 1, sizeof(host));
    cudaFree(device);  // fixed:
    cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);  // fixed: cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost), cudaFree(device);
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
