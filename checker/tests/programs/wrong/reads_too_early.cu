// The host reads the result before the copy is done.
#include <cstdio>

__global__ void scale(float* x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= 2;
}

int main() {
    float *x, *result;
    cudaMalloc(&x, 256 * sizeof(float));
    cudaMemset(x, 0, 256 * sizeof(float));
    cudaMallocHost(&result, 256 * sizeof(float));
    result[3] = -1;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    scale<<<1, 256, 0, stream>>>(x, 256);
    cudaMemcpyAsync(result, x, 256 * sizeof(float), cudaMemcpyDeviceToHost, stream);
    // fixed: cudaStreamSynchronize(stream);
    const float seen = result[3];
    cudaStreamSynchronize(stream);
    printf("%d\n", seen == result[3]);
    cudaStreamDestroy(stream);
    cudaFree(x);
    cudaFreeHost(result);
}
