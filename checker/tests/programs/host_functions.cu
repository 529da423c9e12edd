// A stream calls host functions between kernels.
#include <cstdio>

__global__ void add(int* x, int by) { *x += by; }

static void seen(void* data) {
    printf("the host sees %d\n", *(int*)data);
}

static void doubled(void* data) {
    seen(data);
    *(int*)data *= 2;
}

int main() {
    int *device, *host;
    cudaMalloc(&device, sizeof(int));
    cudaMallocHost(&host, sizeof(int));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMemsetAsync(device, 0, sizeof(int), stream);
    for (int i = 1; i <= 3; ++i) {
        add<<<1, 1, 0, stream>>>(device, i);
        cudaMemcpyAsync(host, device, sizeof(int), cudaMemcpyDeviceToHost, stream);
        cudaLaunchHostFunc(stream, seen, host);
    }
    cudaStreamSynchronize(stream);
    printf("end %d\n", *host);

    int* managed;
    cudaMallocManaged(&managed, sizeof(int));
    *managed = 10;
    add<<<1, 1, 0, stream>>>(managed, 1);
    cudaLaunchHostFunc(stream, doubled, managed);
    add<<<1, 1, 0, stream>>>(managed, 1);
    cudaStreamSynchronize(stream);
    printf("end %d\n", *managed);
    cudaFree(managed);
    cudaStreamDestroy(stream);
    cudaFreeHost(host);
    cudaFree(device);
}
