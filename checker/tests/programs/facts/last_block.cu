#include <cstdio>

__device__ int finished = 0;

// The last block to finish adds up what all blocks have left in `parts`.
__global__ void sum(const int* in, int* parts, int* out) {
    __shared__ bool last;
    if (threadIdx.x == 0) parts[blockIdx.x] = in[blockIdx.x];
    FENCE

    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(&finished, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int all = 0;
        for (int b = 0; b < gridDim.x; ++b) all += parts[b];
        *out = all;
    }
}

int main() {
    int values[4] = {64, 64, 64, 64}, result = 0;
    int *in, *parts, *out;
    cudaMalloc(&in, sizeof values);
    cudaMalloc(&parts, sizeof values);
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
    sum<<<4, 64>>>(in, parts, out);
    cudaMemcpy(&result, out, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", result);
    cudaFree(in);
    cudaFree(parts);
    cudaFree(out);
}
