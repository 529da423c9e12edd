// Computes where each of 256 texts begins in one array without gaps. A
// block scans the lengths with a tree.
#include <cstdio>

// ANCHOR: kernel
constexpr int BLOCK = 256;

__global__ void offsets(const int* lengths, int* begins) {
    __shared__ int sums[BLOCK];

    int tid = threadIdx.x;
    sums[tid] = lengths[tid];

    for (int stride = 1; stride < BLOCK; stride *= 2) {            // (1)
        __syncthreads();
        int end = 2 * stride * (tid + 1) - 1;                      // (2)
        if (end < BLOCK) {
            sums[end] += sums[end - stride];                       // (3)
        }
    }

    __syncthreads();
    if (tid == 0) {
        sums[BLOCK - 1] = 0;                                       // (4)
    }

    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {        // (5)
        __syncthreads();
        int end = 2 * stride * (tid + 1) - 1;
        if (end < BLOCK) {
            int before = sums[end];
            sums[end] = before + sums[end - stride];               // (6)
            sums[end - stride] = before;
        }
    }

    __syncthreads();
    begins[tid] = sums[tid];
}
// ANCHOR_END: kernel

int main() {
    int lengths[BLOCK], begins[BLOCK];
    for (int i = 0; i < BLOCK; ++i) {
        lengths[i] = 3 + i * 13 % 7;
    }
    int *d_lengths, *d_begins;
    cudaMalloc(&d_lengths, sizeof lengths);
    cudaMalloc(&d_begins, sizeof begins);
    cudaMemcpy(d_lengths, lengths, sizeof lengths, cudaMemcpyHostToDevice);

    offsets<<<1, BLOCK>>>(d_lengths, d_begins);

    cudaMemcpy(begins, d_begins, sizeof begins, cudaMemcpyDeviceToHost);
    int expected = 0, wrong = 0;
    for (int i = 0; i < BLOCK; ++i) {
        wrong += begins[i] != expected;
        expected += lengths[i];
    }
    printf("%d %d %d %d ... %d: %d of %d are wrong\n", begins[0], begins[1],
           begins[2], begins[3], begins[BLOCK - 1], wrong, BLOCK);
    cudaFree(d_begins);
    cudaFree(d_lengths);
}
