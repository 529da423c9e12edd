// mapped_memory | chapter 2 | "Reading the host's memory"
//
// Goal    store the power in watts of measurement n - 1 - i in report[i], so that the latest
//         measurement comes first. Use one launch, without a copy and without device memory.
//
// measured [n][2] f32, in the host's memory, read only: the time in seconds, the voltage in volts
// report   [n]    f32, in the host's memory, every element must be written
// n        count
//
// This program is right. However, the kernel uses each value only once, so the host and the kernel
// can share the memory, without any copies. Put `volts` and `watts` into mapped memory.
//
// Run     cargo checker check mapped_memory    Stuck?  cargo checker hint mapped_memory

#include <vector>

constexpr int BLOCK = 256;
constexpr float OHMS = 50.0f;

__global__ void power(const float* volts, float* watts, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        watts[i] = volts[i] * volts[i] / OHMS;
    }
}

extern "C" void mapped_memory(const float* measured, float* report, int n) {
    const size_t bytes = n * sizeof(float);
    std::vector<float> volts(n), watts(n);
    for (int i = 0; i < n; ++i) {
        volts[i] = measured[2 * i + 1];
    }

    float *d_volts, *d_watts;
    cudaMalloc(&d_volts, bytes);
    cudaMalloc(&d_watts, bytes);
    cudaMemcpy(d_volts, volts.data(), bytes, cudaMemcpyHostToDevice);
    power<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_volts, d_watts, n);
    cudaMemcpy(watts.data(), d_watts, bytes, cudaMemcpyDeviceToHost);

    for (int i = 0; i < n; ++i) {
        report[i] = watts[n - 1 - i];
    }
    cudaFree(d_watts);
    cudaFree(d_volts);
}
