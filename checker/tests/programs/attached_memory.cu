// Managed memory that belongs to a stream, and the arguments that cudaStreamAttachMemAsync accepts.
#include <cstdio>

__global__ void twice(int* x) { x[threadIdx.x] *= 2; }

int main() {
    const int n = 64;
    int *x, *device;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMallocManaged(&x, n * sizeof(int), cudaMemAttachHost);
    cudaMalloc(&device, n * sizeof(int));
    for (int i = 0; i < n; ++i) x[i] = i;
    cudaError_t codes[] = {
        cudaStreamAttachMemAsync(stream, x, 0, cudaMemAttachSingle),
        cudaStreamAttachMemAsync(stream, x, n * sizeof(int), cudaMemAttachGlobal),
        cudaStreamAttachMemAsync(0, x, 0, cudaMemAttachSingle),
        cudaStreamAttachMemAsync(stream, x, 4, cudaMemAttachGlobal),
        cudaStreamAttachMemAsync(stream, x, 0, 3),
        cudaStreamAttachMemAsync(stream, device, 0, cudaMemAttachGlobal),
    };
    for (cudaError_t code : codes) printf("%s\n", cudaGetErrorName(code));
    cudaGetLastError();
    twice<<<1, n, 0, stream>>>(x);
    cudaStreamSynchronize(stream);
    printf("%d %d\n", x[1], x[n - 1]);
    cudaFree(device);
    cudaFree(x);
    cudaStreamDestroy(stream);
}
