// A cooperative launch: all blocks synchronise in the middle of a kernel.
#include <cooperative_groups.h>
#include <cstdio>

__global__ void two_steps(const int* in, int* partial, int* out, int n) {
    __shared__ int sum;
    if (threadIdx.x == 0) {
        sum = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&sum, in[i]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
    }
    cooperative_groups::this_grid().sync();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        int all = 0;
        for (int b = 0; b < gridDim.x; ++b) {
            all += partial[b];
        }
        *out = all;
    }
}

int main() {
    const int n = 5000, blocks = 8;
    static int host[n];
    int *in, *partial, *out, result = 0;
    for (int i = 0; i < n; ++i) {
        host[i] = i % 7;
    }
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&partial, blocks * sizeof(int));
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    int count = n;
    void* args[] = {&in, &partial, &out, &count};
    cudaError_t code = cudaLaunchCooperativeKernel(two_steps, dim3(blocks), dim3(64), args);
    printf("%s\n", cudaGetErrorName(code));
    cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
    printf("sum %d\n", result);
    code = cudaLaunchCooperativeKernel(two_steps, dim3(1 << 20), dim3(1024), args);
    printf("too many blocks: %s\n", cudaGetErrorName(code));
    cudaFree(in);
    cudaFree(partial);
    cudaFree(out);
}
