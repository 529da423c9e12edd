// The host and the device use the same bytes of mapped memory without a copy, although each
// may use a different address. Each value crosses the bus once, when the kernel loads or stores it.
// In the original program, the copy back waits for the kernel. Without this copy, the host has to
// wait before it reads `watts`.

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
        report[i] = watts[n - 1 - i];
    }
    cudaFreeHost(watts);
    cudaFreeHost(volts);
}
