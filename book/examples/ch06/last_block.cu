// Computes the sum of an array in one launch. The last block to finish
// adds up the sums of all blocks.
#include <cstdio>

// ANCHOR: kernel
constexpr int BLOCKS = 8, THREADS = 128;

__device__ int block_sum(const int* in, int first, int n, int step) {
    __shared__ int sum;
    __syncthreads();                           // earlier calls have ended
    if (threadIdx.x == 0) {
        sum = 0;
    }
    __syncthreads();
    for (int i = first + threadIdx.x; i < n; i += step) {
        atomicAdd(&sum, in[i]);
    }
    __syncthreads();
    return sum;
}

__global__ void total(const int* in, int* parts, int* finished, int* out,
                      int n) {
    __shared__ bool last;

    int first = blockIdx.x * THREADS;
    int part = block_sum(in, first, n, BLOCKS * THREADS);          // (1)
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = part;                                  // (2)
        __threadfence();                                           // (3)
        last = atomicAdd(finished, 1) == BLOCKS - 1;               // (4)
        __threadfence();                                           // (5)
    }
    __syncthreads();                                               // (6)

    if (last) {
        int sum = block_sum(parts, 0, BLOCKS, THREADS);            // (7)
        if (threadIdx.x == 0) {
            *out = sum;
        }
    }
}
// ANCHOR_END: kernel

int main() {
    const int n = 5000;
    int in[n];
    for (int i = 0; i < n; ++i) {
        in[i] = i % 10;
    }
    int *d_in, *parts, *finished, *d_out;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&parts, BLOCKS * sizeof(int));
    cudaMalloc(&finished, sizeof(int));
    cudaMalloc(&d_out, sizeof(int));
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    cudaMemset(finished, 0, sizeof(int));

    total<<<BLOCKS, THREADS>>>(d_in, parts, finished, d_out, n);

    int out;
    cudaMemcpy(&out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    printf("the sum is %d, and 22500 expected\n", out);
    cudaFree(d_out);
    cudaFree(finished);
    cudaFree(parts);
    cudaFree(d_in);
}
