// Converts the temperatures once more, in managed memory.
#include <cstdio>

// ANCHOR: all
__global__ void to_fahrenheit(float* t, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        t[i] = 1.8f * t[i] + 32.0f;
    }
}

int main() {
    const int n = 6;
    float* t;
    cudaMallocManaged(&t, n * sizeof(float));   // (1)
    for (int i = 0; i < n; ++i) {
        t[i] = 20.0f * i;                       // (2)
    }

    to_fahrenheit<<<1, 256>>>(t, n);            // (3)
    cudaDeviceSynchronize();                    // (4)

    for (int i = 0; i < n; ++i) {
        printf("%5.1f F\n", t[i]);
    }
    cudaFree(t);                                // (5)
}
// ANCHOR_END: all
