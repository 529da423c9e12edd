// Defines a struct that frees page-locked memory at the end of its scope.
#include <cstdio>

// ANCHOR: struct
struct PageLocked {
    float* data = nullptr;

    explicit PageLocked(int n) {                           // (1)
        cudaMallocHost(&data, n * sizeof(float));
    }

    ~PageLocked() {                                        // (2)
        cudaFreeHost(data);
    }

    PageLocked(const PageLocked&) = delete;                // (3)
    PageLocked& operator=(const PageLocked&) = delete;
};
// ANCHOR_END: struct

// ANCHOR: kernel
__global__ void halve(float* data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        data[i] *= 0.5f;
    }
}
// ANCHOR_END: kernel

// ANCHOR: function
// Halves 0, 1, ..., n - 1 on the device, and returns the sum.
float sum_of_halves(float* d_data, int n) {
    if (n == 0) {
        return 0.0f;
    }
    PageLocked values(n);                                  // (4)
    for (int i = 0; i < n; ++i) {
        values.data[i] = i;
    }
    size_t bytes = n * sizeof(float);
    cudaMemcpy(d_data, values.data, bytes, cudaMemcpyHostToDevice);
    halve<<<(n + 255) / 256, 256>>>(d_data, n);
    cudaMemcpy(values.data, d_data, bytes, cudaMemcpyDeviceToHost);
    float sum = 0.0f;
    for (int i = 0; i < n; ++i) {
        sum += values.data[i];
    }
    return sum;                                            // (5)
}
// ANCHOR_END: function

int main() {
    float* d_data;
    cudaMalloc(&d_data, 1000 * sizeof(float));
    for (int n : {0, 5, 1000}) {
        printf("%g\n", sum_of_halves(d_data, n));
    }
    cudaFree(d_data);
}
