// Reads the time between two events before the device has reached them.
#include <cstdio>

// ANCHOR: all
__global__ void fill_squares(float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = float(i) * float(i);
    }
}

int main() {
    constexpr int N = 1 << 16;
    float* d_out = nullptr;
    cudaMalloc(&d_out, N * sizeof(float));
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);

    cudaEventRecord(begin);
    for (int repeat = 0; repeat < 10; ++repeat) {
        fill_squares<<<N / 256, 256>>>(d_out, N);
    }
    cudaEventRecord(end);

    float ms = 0.0f;
    cudaEventElapsedTime(&ms, begin, end);  // <-- too early
    printf("ten fills: %g ms\n", ms);

    cudaEventDestroy(end);
    cudaEventDestroy(begin);
    cudaFree(d_out);
}
// ANCHOR_END: all
