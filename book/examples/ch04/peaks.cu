#include <cstdio>

// ANCHOR: kernel
constexpr int BLOCK = 128;  // threads of a block

// peak[i] = 1 where in[i] is larger than both of its neighbours
__global__ void peaks(const float* in, int* peak, int n) {
    __shared__ float tile[BLOCK + 2];               // (1)

    int tid = threadIdx.x;
    int idx = blockIdx.x * BLOCK + tid;
    int cell = tid + 1;                             // (2)

    tile[cell] = idx < n ? in[idx] : 0.0f;
    if (tid == 0) {                                 // (3)
        tile[0] = idx > 0 ? in[idx - 1] : 0.0f;
    }
    if (tid == BLOCK - 1) {
        tile[BLOCK + 1] = idx + 1 < n ? in[idx + 1] : 0.0f;
    }
    __syncthreads();

    if (idx < n) {                                  // (4)
        peak[idx] = tile[cell] > tile[cell - 1] &&
                    tile[cell] > tile[cell + 1];
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
