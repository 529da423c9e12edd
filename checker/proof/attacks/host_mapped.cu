// attack: computes on the host where the host may compute, and launches a kernel whose results nothing uses
// exercise: mapped_memory
// expect: computed-on-host
// stopped-by: the flow of data: outputs come from the device, and nothing else that the host sends depends on the inputs

constexpr int BLOCK = 256;

__global__ void power(const float* volts, float* watts, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        watts[i] = volts[i] * volts[i] / 50.0f;
    }
}

extern "C" void mapped_memory(const int* raw, float* energy, int n) {
    const size_t bytes = n * sizeof(float);
    float *volts, *watts;
    cudaHostAlloc(&volts, bytes, cudaHostAllocMapped);
    cudaHostAlloc(&watts, bytes, cudaHostAllocMapped);
    for (int i = 0; i < n; ++i) {
        volts[i] = raw[i] * (5.0f / 4096.0f);
    }
    float *d_volts, *d_watts;
    cudaHostGetDevicePointer(&d_volts, volts, 0);
    cudaHostGetDevicePointer(&d_watts, watts, 0);
    power<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_volts, d_watts, n);
    cudaDeviceSynchronize();
    float sum = 0.0f;
    for (int i = 0; i < n; ++i) {
        sum += volts[i] * volts[i] / 50.0f;
        energy[i] = sum;
    }
    cudaFreeHost(watts);
    cudaFreeHost(volts);
}
