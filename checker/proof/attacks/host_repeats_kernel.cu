// attack: a kernel computes everything, and the host computes the report itself from the measurements
// exercise: mapped_memory
// expect: computed-on-host
// stopped-by: the call whose kernels store nothing

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
    float *volts, *watts;
    cudaHostAlloc(&volts, bytes, cudaHostAllocMapped);
    cudaHostAlloc(&watts, bytes, cudaHostAllocMapped);
    for (int i = 0; i < n; ++i) {
        volts[i] = measured[2 * i + 1];
    }

    float *d_volts, *d_watts;
    cudaHostGetDevicePointer(&d_volts, volts, 0);
    cudaHostGetDevicePointer(&d_watts, watts, 0);
    power<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_volts, d_watts, n);
    cudaDeviceSynchronize();

    for (int i = 0; i < n; ++i) {
        { const float v = measured[2 * (n - 1 - i) + 1]; report[i] = v * v / OHMS; }
    }
    cudaFreeHost(watts);
    cudaFreeHost(volts);
}
