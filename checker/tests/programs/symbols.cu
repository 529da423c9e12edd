// __constant__ and __device__ variables, read and written by the host.
#include <cstdio>

__constant__ float weights[4] = {1, 2, 3, 4};
__device__ int counter = 5;
__device__ float table[8];

__global__ void use(float* out) {
    const int i = threadIdx.x;
    out[i] = weights[i] * 10 + table[i];
    atomicAdd(&counter, 1);
}

int main() {
    float host[4], *out;
    int count = 0;
    size_t bytes = 0;
    cudaMalloc(&out, sizeof host);
    use<<<1, 4>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g %g %g %g\n", host[0], host[1], host[2], host[3]);
    const float two[2] = {7, 8};
    cudaMemcpyToSymbol(weights, two, sizeof two, sizeof(float));
    float* at = nullptr;
    cudaGetSymbolAddress((void**)&at, table);
    cudaMemcpy(at + 2, two, sizeof two, cudaMemcpyHostToDevice);
    use<<<1, 4>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g %g %g %g\n", host[0], host[1], host[2], host[3]);
    cudaMemcpyFromSymbol(&count, counter, sizeof count);
    cudaGetSymbolSize(&bytes, table);
    printf("%d calls, %zu bytes\n", count, bytes);
    printf("%s\n", cudaGetErrorName(cudaMemcpyToSymbol(weights, two, sizeof two, 12)));
    cudaFree(out);
}
