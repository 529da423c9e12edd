// Two streams, page-locked memory: each half is copied in, changed and copied out on its own.
#include <cstdio>

__global__ void twice(int* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] *= 2;
    }
}

int main() {
    const int n = 1 << 12, half = n / 2;
    int *host, *device;
    cudaMallocHost(&host, n * sizeof(int));
    cudaMalloc(&device, n * sizeof(int));
    for (int i = 0; i < n; ++i) {
        host[i] = i;
    }
    cudaStream_t streams[2];
    for (int s = 0; s < 2; ++s) {
        cudaStreamCreate(&streams[s]);
    }
    for (int s = 0; s < 2; ++s) {
        int *h = host + s * half, *d = device + s * half;
        cudaMemcpyAsync(d, h, half * sizeof(int), cudaMemcpyHostToDevice, streams[s]);
        twice<<<half / 128, 128, 0, streams[s]>>>(d, half);
        cudaMemcpyAsync(h, d, half * sizeof(int), cudaMemcpyDeviceToHost, streams[s]);
    }
    for (int s = 0; s < 2; ++s) {
        printf("stream %d: %s\n", s, cudaGetErrorName(cudaStreamSynchronize(streams[s])));
        cudaStreamDestroy(streams[s]);
    }
    long long sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += host[i];
    }
    printf("sum %lld\n", sum);
    cudaFreeHost(host);
    cudaFree(device);
}
