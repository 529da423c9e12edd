#include <cstdio>

// ANCHOR: kernel
constexpr int BLOCK = 128;  // threads of a block

// peak[i] = 1 where in[i] is larger than both of its neighbours
__global__ void peaks(const float* in, int* peak, int n) {
    __shared__ float tile[BLOCK];

    int tid = threadIdx.x;
    int idx = blockIdx.x * BLOCK + tid;

    tile[tid] = idx < n ? in[idx] : 0.0f;
    __syncthreads();

    if (idx < n) {
        peak[idx] = tile[tid] > tile[tid - 1] &&  // tile[-1] for thread 0
                    tile[tid] > tile[tid + 1];
    }
}
// ANCHOR_END: kernel

int main() {
    constexpr int n = 1000;
    float in[n];
    int peak[n];
    for (int i = 0; i < n; ++i) {
        int step = i % 16;    // up for eight steps, then down for eight
        in[i] = step < 8 ? step : 16 - step;
    }

    float* d_in;
    int* d_peak;
    cudaMalloc(&d_in, sizeof(in));
    cudaMalloc(&d_peak, sizeof(peak));
    cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyHostToDevice);

    peaks<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_in, d_peak, n);

    cudaMemcpy(peak, d_peak, sizeof(peak), cudaMemcpyDeviceToHost);
    int found = 0;
    for (int i = 0; i < n; ++i) {
        found += peak[i];
    }
    printf("%d peaks in %d readings, one every 16\n", found, n);

    cudaFree(d_peak);
    cudaFree(d_in);
}
