// Each thread keeps so many values in registers that a block of 1024 threads has too few of them.
#include <cstdio>

constexpr int VALUES = 96;

__global__ void __maxnreg__(80) mix(float* data, int n) {  // fixed: __global__ void __launch_bounds__(1024) mix(float* data, int n) {
    float values[VALUES];
#pragma unroll
    for (int i = 0; i < VALUES; ++i) {
        values[i] = data[i * 1024 + threadIdx.x];
    }
    for (int step = 0; step < n; ++step) {
#pragma unroll
        for (int i = 0; i < VALUES; ++i) {
            values[i] = values[i] * values[(i + 7) % VALUES] + data[VALUES * 1024 + step];
        }
    }
#pragma unroll
    for (int i = 0; i < VALUES; ++i) {
        data[i * 1024 + threadIdx.x] = values[i];
    }
}

int main() {
    float *data, first;
    cudaMalloc(&data, (VALUES + 1) * 1024 * sizeof(float));
    cudaMemset(data, 0, (VALUES + 1) * 1024 * sizeof(float));
    mix<<<1, 1024>>>(data, 4);
    cudaMemcpy(&first, data, sizeof first, cudaMemcpyDeviceToHost);
    printf("%g\n", first);
    cudaFree(data);
}
