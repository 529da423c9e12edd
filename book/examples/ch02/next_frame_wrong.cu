// The host fills a buffer again while an asynchronous copy still reads it.
#include <cstdio>

__global__ void add_frame(const float* frame, float* sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        sum[i] += frame[i];
    }
}

int main() {
    const int n = 1024;  // a multiple of 256, so no block is partly empty
    size_t bytes = n * sizeof(float);
    float *frame, *d_frame, *d_sum;
    cudaMallocHost(&frame, bytes);
    cudaMalloc(&d_frame, bytes);
    cudaMalloc(&d_sum, bytes);
    cudaMemset(d_sum, 0, bytes);

    // ANCHOR: loop
    for (int t = 0; t < 3; ++t) {
        for (int i = 0; i < n; ++i) {
            frame[i] = t + i;  // the previous copy may still read it
        }
        cudaMemcpyAsync(d_frame, frame, bytes, cudaMemcpyHostToDevice);
        add_frame<<<n / 256, 256>>>(d_frame, d_sum, n);
    }
    // ANCHOR_END: loop

    cudaMemcpy(frame, d_sum, bytes, cudaMemcpyDeviceToHost);
    printf("%g (expected 3)\n", frame[0]);
    cudaFreeHost(frame);
    cudaFree(d_frame);
    cudaFree(d_sum);
}
