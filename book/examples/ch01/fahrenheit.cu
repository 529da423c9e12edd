// ANCHOR: all
#include <cstdio>

// ANCHOR: kernel
__global__ void to_fahrenheit(const float* celsius, float* fahrenheit) {
    int i = threadIdx.x;                                        // (1)
    fahrenheit[i] = celsius[i] * 1.8f + 32.0f;                  // (2)
}
// ANCHOR_END: kernel

int main() {
    const int n = 8;
    float* celsius;
    float* fahrenheit;
    cudaMallocManaged(&celsius, n * sizeof(float));             // (3)
    cudaMallocManaged(&fahrenheit, n * sizeof(float));

    for (int i = 0; i < n; i++) {
        celsius[i] = 5.0f * i;
    }

    to_fahrenheit<<<1, n>>>(celsius, fahrenheit);               // (4)
    cudaDeviceSynchronize();                                    // (5)

    for (int i = 0; i < n; i++) {
        printf("%4.0f C is %3.0f F\n", celsius[i], fahrenheit[i]);
    }
    cudaFree(celsius);                                          // (6)
    cudaFree(fahrenheit);
}
// ANCHOR_END: all
