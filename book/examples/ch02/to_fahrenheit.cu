// Converts temperatures on the GPU, in a round trip of five steps.
//
//     nvcc -o to_fahrenheit to_fahrenheit.cu && ./to_fahrenheit
#include <cstdio>

// ANCHOR: kernel
__global__ void to_fahrenheit(const float* a, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = 1.8f * a[i] + 32.0f;
    }
}
// ANCHOR_END: kernel

// ANCHOR: main
int main() {
    const int n = 6;
    float a[n] = {-40.0f, 0.0f, 10.0f, 20.0f, 37.0f, 100.0f};
    float out[n] = {};
    size_t bytes = n * sizeof(float);                             // (1)

    float* d_a;
    float* d_out;
    cudaMalloc(&d_a, bytes);                                      // (2)
    cudaMalloc(&d_out, bytes);

    cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice);            // (3)

    int block = 256;
    int grid = (n + block - 1) / block;
    to_fahrenheit<<<grid, block>>>(d_a, d_out, n);                // (4)

    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);        // (5)

    cudaFree(d_a);                                                // (6)
    cudaFree(d_out);

    for (int i = 0; i < n; ++i) {
        printf("%5.0f C = %5.1f F\n", a[i], out[i]);
    }
}
// ANCHOR_END: main
