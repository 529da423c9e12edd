// A kernel gets a pointer to an array of the host.
#include <cstdio>

__global__ void scale(float* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}

int main() {
    static float host[256];
    float* device;
    cudaMalloc(&device, sizeof(host));
    cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice);
    scale<<<1, 256>>>(host, 256);  // fixed: scale<<<1, 256>>>(device, 256);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(device);
}
