// attack: copies through a managed variable, so that neither a copy nor an allocation is left
// exercise: mapped_memory
// expect: gate-missed
// stopped-by: copies between managed and device memory count as copies between the host and the device

#include <vector>
__managed__ float staged[300000];
__device__ float dv[300000], dw[300000];

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
    cudaGetSymbolAddress((void**)&d_volts, dv);
    cudaGetSymbolAddress((void**)&d_watts, dw);
    for (int i = 0; i < n; ++i) staged[i] = volts[i];
    cudaMemcpyToSymbol(dv, staged, bytes, 0, cudaMemcpyDeviceToDevice);
    power<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_volts, d_watts, n);
    cudaMemcpyFromSymbol(staged, dw, bytes, 0, cudaMemcpyDeviceToDevice);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) watts[i] = staged[i];

    for (int i = 0; i < n; ++i) {
        report[i] = watts[n - 1 - i];
    }
}
