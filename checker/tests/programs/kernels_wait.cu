// Kernels in different streams run at the same time: one waits for data from another that is launched later, and one runs
// until the host copies a flag to the device.
#include <cstdio>

__global__ void consume(const int* data, volatile int* ready, int* out) {
    while (*ready == 0) {}
    __threadfence();
    *out = data[0] + data[1];
}

__global__ void produce(int* data, volatile int* ready) {
    data[0] = 40;
    data[1] = 2;
    __threadfence();
    *ready = 1;
}

__global__ void until(volatile int* stop, int* out) {
    while (*stop == 0) {}
    *out = 7;
}

int main() {
    int *device, *host;
    cudaMalloc(&device, 8 * sizeof(int));
    cudaMallocHost(&host, 8 * sizeof(int));
    cudaMemset(device, 0, 8 * sizeof(int));
    cudaDeviceSynchronize();
    // A GPU loads a kernel when it is first used, and that may wait for the kernels that run.
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, consume);
    cudaFuncGetAttributes(&attributes, produce);
    cudaFuncGetAttributes(&attributes, until);
    cudaStream_t first, second;
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    consume<<<1, 1, 0, first>>>(device, device + 2, device + 3);
    produce<<<1, 1, 0, second>>>(device, device + 2);
    cudaStreamSynchronize(first);
    until<<<1, 1, 0, first>>>(device + 4, device + 5);
    *host = 1;
    cudaMemcpyAsync(device + 4, host, sizeof(int), cudaMemcpyHostToDevice, second);
    cudaStreamSynchronize(first);
    cudaStreamSynchronize(second);
    cudaMemcpy(host, device, 8 * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d %d\n", host[3], host[5]);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaFree(device);
    cudaFreeHost(host);
}
