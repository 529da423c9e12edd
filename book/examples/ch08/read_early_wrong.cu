// The host reads a result whose copy is still in the queue.
#include <cstdio>

// ANCHOR: all
__global__ void sum_up(const int* v, int* sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(sum, v[i]);
    }
}

int main() {
    constexpr int N = 1024;
    int *v, *sum, *d_v, *d_sum;
    cudaMallocHost(&v, N * sizeof(int));
    cudaMallocHost(&sum, sizeof(int));
    cudaMalloc(&d_v, N * sizeof(int));
    cudaMalloc(&d_sum, sizeof(int));
    for (int i = 0; i < N; ++i) {
        v[i] = 1;
    }
    cudaStream_t stream;
    cudaStreamCreate(&stream);

    *sum = 0;
    cudaMemcpyAsync(d_v, v, N * sizeof(int), cudaMemcpyHostToDevice,
                    stream);
    cudaMemsetAsync(d_sum, 0, sizeof(int), stream);
    sum_up<<<N / 256, 256, 0, stream>>>(d_v, d_sum, N);
    cudaMemcpyAsync(sum, d_sum, sizeof(int), cudaMemcpyDeviceToHost,
                    stream);
    printf("the sum is %d\n", *sum);  // <-- has it arrived?

    cudaStreamDestroy(stream);
    cudaFree(d_sum);
    cudaFree(d_v);
    cudaFreeHost(sum);
    cudaFreeHost(v);
}
// ANCHOR_END: all
