// The host reads managed memory without waiting for the kernel.
#include <cstdio>

__global__ void to_fahrenheit(float* t, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        t[i] = 1.8f * t[i] + 32.0f;
    }
}

int main() {
    const int n = 6;
    float* t;
    cudaMallocManaged(&t, n * sizeof(float));
    for (int i = 0; i < n; ++i) {
        t[i] = 20.0f * i;
    }

    // ANCHOR: use
    to_fahrenheit<<<1, 256>>>(t, n);
    for (int i = 0; i < n; ++i) {
        printf("%5.1f F\n", t[i]);  // the kernel may not have run yet
    }
    // ANCHOR_END: use
    cudaFree(t);
}
