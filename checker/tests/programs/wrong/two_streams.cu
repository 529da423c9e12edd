// The kernel does not wait for the copy, which is in another stream.
#include <cstdio>

__global__ void scale(float* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}

int main() {
    const int n = 256;
    float *x, *host;
    cudaMalloc(&x, n * sizeof(float));
    cudaMallocHost(&host, n * sizeof(float));
    for (int i = 0; i < n; ++i) host[i] = i;
    cudaStream_t copying, computing;
    cudaStreamCreate(&copying);
    cudaStreamCreate(&computing);
    cudaEvent_t copied;
    cudaEventCreate(&copied);
    cudaMemcpyAsync(x, host, n * sizeof(float), cudaMemcpyHostToDevice, copying);
    cudaEventRecord(copied, copying);
    // fixed: cudaStreamWaitEvent(computing, copied);
    scale<<<1, n, 0, computing>>>(x, n);
    cudaDeviceSynchronize();
    cudaEventDestroy(copied);
    cudaStreamDestroy(copying);
    cudaStreamDestroy(computing);
    cudaFree(x);
    cudaFreeHost(host);
    printf("done\n");
}
