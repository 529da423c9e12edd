// Defines a function for the wind chill that host and device can call.
#include <cmath>
#include <cstdio>

// ANCHOR: kernel
__host__ __device__ float wind_chill(float celsius, float km_h) {  // (1)
    if (celsius > 10.0f || km_h < 5.0f) {
        return celsius;
    }
    float v = powf(km_h, 0.16f);
    return 13.12f + 0.6215f * celsius - 11.37f * v
           + 0.3965f * celsius * v;
}

__global__ void chill(const float* celsius, const float* km_h,
                      float* felt, int n) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        felt[idx] = wind_chill(celsius[idx], km_h[idx]);           // (2)
    }
}
// ANCHOR_END: kernel

int main() {
    const int n = 100;
    float celsius[n], km_h[n], felt[n];
    for (int i = 0; i < n; ++i) {
        celsius[i] = i % 25 - 12.0f;
        km_h[i] = i % 40;
    }
    float *d_celsius, *d_km_h, *d_felt;
    cudaMalloc(&d_celsius, sizeof celsius);
    cudaMalloc(&d_km_h, sizeof km_h);
    cudaMalloc(&d_felt, sizeof felt);
    cudaMemcpy(d_celsius, celsius, sizeof celsius, cudaMemcpyHostToDevice);
    cudaMemcpy(d_km_h, km_h, sizeof km_h, cudaMemcpyHostToDevice);

    chill<<<1, 128>>>(d_celsius, d_km_h, d_felt, n);

    cudaMemcpy(felt, d_felt, sizeof felt, cudaMemcpyDeviceToHost);
    float worst = 0.0f;
    for (int i = 0; i < n; ++i) {
        worst = fmaxf(worst, fabsf(felt[i] - wind_chill(celsius[i],
                                                        km_h[i])));
    }
    printf("%.1f degrees in a wind of %.0f km/h feel like %.1f\n",
           celsius[32], km_h[32], felt[32]);
    printf("host and device %s\n", worst < 1e-4f ? "agree" : "differ");
    cudaFree(d_felt);
    cudaFree(d_km_h);
    cudaFree(d_celsius);
}
