// On the host, the name of a device variable is not its address.
#include <cstdio>

__constant__ int weights[2];

__global__ void sum(int* out) { *out = weights[0] + weights[1]; }

int main() {
    const int host[2] = {3, 4};
    cudaMemcpy(weights, host, sizeof(host), cudaMemcpyHostToDevice);  // fixed: cudaMemcpyToSymbol(weights, host, sizeof(host));
    int *device, out = 0;
    cudaMalloc(&device, sizeof(out));
    sum<<<1, 1>>>(device);
    cudaMemcpy(&out, device, sizeof(out), cudaMemcpyDeviceToHost);
    printf("%d\n", out);
    cudaFree(device);
}
