#include <cstdio>

// ANCHOR: kernel
constexpr int BLOCK = 128;  // threads of a block, and readings of a slice

// out[i] = in[i] - the lowest reading in the block's slice
__global__ void above_lowest(const float* in, float* out, int n) {
    __shared__ float tile[BLOCK];
    __shared__ float lowest;

    int tid = threadIdx.x;
    int idx = blockIdx.x * BLOCK + tid;

    if (idx >= n) {
        return;     // leaves the kernel before two barriers
    }
    tile[tid] = in[idx];
    __syncthreads();

    if (tid == 0) {
        float least = tile[0];
        for (int i = 1; i < BLOCK; ++i) {
            least = fminf(least, tile[i]);
        }
        lowest = least;
    }
    __syncthreads();

    out[idx] = tile[tid] - lowest;
}
// ANCHOR_END: kernel

int main() {
    constexpr int n = 300;  // two slices of 128 and one of 44
    float in[n], out[n];
    for (int i = 0; i < n; ++i) {
        in[i] = 20.0f + i % 7;  // temperatures from 20 to 26 degrees
    }

    float *d_in, *d_out;
    cudaMalloc(&d_in, sizeof(in));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyHostToDevice);

    above_lowest<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_in, d_out, n);

    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        wrong += out[i] != i % 7;
    }
    printf("%d of %d readings are wrong\n", wrong, n);

    cudaFree(d_out);
    cudaFree(d_in);
}
