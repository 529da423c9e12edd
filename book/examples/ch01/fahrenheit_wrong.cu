#include <cstdio>

// ANCHOR: kernel
__global__ void to_fahrenheit(const float* celsius, float* fahrenheit) {
    int i = threadIdx.x + 1;  // starts at 1
    fahrenheit[i] = celsius[i] * 1.8f + 32.0f;
}
// ANCHOR_END: kernel

int main() {
    const int n = 8;
    float *celsius, *fahrenheit;
    cudaMallocManaged(&celsius, n * sizeof(float));
    cudaMallocManaged(&fahrenheit, n * sizeof(float));
    for (int i = 0; i < n; i++) {
        celsius[i] = 5.0f * i;
    }

    to_fahrenheit<<<1, n>>>(celsius, fahrenheit);
    cudaDeviceSynchronize();

    for (int i = 0; i < n; i++) {
        printf("%4.0f C is %3.0f F\n", celsius[i], fahrenheit[i]);
    }
    cudaFree(celsius);
    cudaFree(fahrenheit);
}
