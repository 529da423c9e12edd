// A kernel calls a function that exists only on the host.
#include <cstdio>

// ANCHOR: kernel
float to_fahrenheit(float celsius) {                // WRONG: host only
    return celsius * 1.8f + 32.0f;
}

__global__ void convert(float* degrees, int n) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        degrees[idx] = to_fahrenheit(degrees[idx]);
    }
}
// ANCHOR_END: kernel

int main() {
    float* d_degrees;
    cudaMalloc(&d_degrees, 100 * sizeof(float));
    cudaMemset(d_degrees, 0, 100 * sizeof(float));
    convert<<<1, 128>>>(d_degrees, 100);
    cudaDeviceSynchronize();
    cudaFree(d_degrees);
}
