// mapped_memory | chapter 2 | "Reading the host's memory"
//
// Goal    energy[i] = the sum of volts[k] * volts[k] / OHMS for k = 0 to i, in one launch, without
//         a copy and without memory of the device.
//
// raw     [n]  i32, in the host's memory, read only: what a converter measured, 0 to 4095
// energy  [n]  f32, in the host's memory, every element must be written
// n       count
//
// This program is right. The kernel uses each value once, so the host and the kernel could share
// the memory instead of copying it: put `volts` and `watts` into mapped memory.
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

extern "C" void mapped_memory(const int* raw, float* energy, int n) {
    const size_t bytes = n * sizeof(float);
    std::vector<float> volts(n), watts(n);
    for (int i = 0; i < n; ++i) {
        volts[i] = raw[i] * (5.0f / 4096.0f);
    }

    float *d_volts, *d_watts;
    cudaMalloc(&d_volts, bytes);
    cudaMalloc(&d_watts, bytes);
    cudaMemcpy(d_volts, volts.data(), bytes, cudaMemcpyHostToDevice);
    power<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_volts, d_watts, n);
    cudaMemcpy(watts.data(), d_watts, bytes, cudaMemcpyDeviceToHost);

    float sum = 0.0f;
    for (int i = 0; i < n; ++i) {
        sum += watts[i];
        energy[i] = sum;
    }
    cudaFree(d_watts);
    cudaFree(d_volts);
}
