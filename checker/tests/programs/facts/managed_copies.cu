// Copies between managed and device memory move what the host has, or will have, so they count as copies between the host
// and the device. A loop that queries an event waits.
#include <cstdio>

__managed__ float down[100];
__device__ float within[100];

__global__ void twice(float* data) {
    data[threadIdx.x] *= 2.0f;
}

int main() {
    float *up, *data;
    cudaMallocManaged(&up, sizeof(down));
    cudaMalloc(&data, sizeof(down));
    for (int i = 0; i < 100; i++) {
        up[i] = i;
    }
    cudaEvent_t done;
    cudaEventCreate(&done);
    cudaMemcpy(data, up, sizeof(down), cudaMemcpyDeviceToDevice);
    twice<<<1, 100>>>(data);
    cudaEventRecord(done);
    while (cudaEventQuery(done) == cudaErrorNotReady) {
    }
    cudaMemcpyToSymbol(within, data, sizeof(down), 0, cudaMemcpyDeviceToDevice);
    cudaMemcpyFromSymbol(down, within, sizeof(down), 0, cudaMemcpyDeviceToDevice);
    cudaDeviceSynchronize();
    printf("%g\n", down[99]);
    cudaEventDestroy(done);
    cudaFree(data);
    cudaFree(up);
}
