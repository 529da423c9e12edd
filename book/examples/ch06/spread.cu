// Computes the distance between the smallest and the largest value of each
// block, with a tree where every second thread works.
#include <cstdio>

// ANCHOR: kernel
constexpr int BLOCK = 256;

__global__ void spread(const float* in, float* out, int n) {
    __shared__ float low[BLOCK], high[BLOCK];

    int tid = threadIdx.x;
    int idx = blockIdx.x * BLOCK + tid;
    low[tid] = idx < n ? in[idx] : INFINITY;                       // (1)
    high[tid] = idx < n ? in[idx] : -INFINITY;
    __syncthreads();

    for (int stride = 1; stride < BLOCK; stride *= 2) {            // (2)
        if (tid % (2 * stride) == 0) {                             // (3)
            low[tid] = fminf(low[tid], low[tid + stride]);         // (4)
            high[tid] = fmaxf(high[tid], high[tid + stride]);
        }
        __syncthreads();                                           // (5)
    }

    if (tid == 0) {
        out[blockIdx.x] = high[0] - low[0];                        // (6)
    }
}
// ANCHOR_END: kernel

int main() {
    const int n = 1000, blocks = (n + BLOCK - 1) / BLOCK;
    float in[n], out[blocks];
    for (int i = 0; i < n; ++i) {
        in[i] = i * 37 % (101 + i / 4);
    }
    float *d_in, *d_out;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof out);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);

    spread<<<blocks, BLOCK>>>(d_in, d_out, n);

    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    for (int b = 0; b < blocks; ++b) {
        printf("block %d: %.0f\n", b, out[b]);
    }
    cudaFree(d_out);
    cudaFree(d_in);
}
