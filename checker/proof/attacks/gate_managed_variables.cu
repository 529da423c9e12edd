// attack: keeps short vectors in managed variables instead of mapped memory
// exercise: mapped_memory
// expect: gate-missed
// stopped-by: the bytes of variables in the memory of the device

constexpr int BLOCK = 256;
constexpr float OHMS = 50.0f;

__global__ void power(const float* volts, float* watts, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        watts[i] = volts[i] * volts[i] / OHMS;
    }
}

__managed__ float shared_volts[8000], shared_watts[8000];

extern "C" void mapped_memory(const float* measured, float* report, int n) {
    const size_t bytes = n * sizeof(float);
    float *volts = shared_volts, *watts = shared_watts;
    if (n > 8000) {
        cudaMallocHost(&volts, bytes);
        cudaMallocHost(&watts, bytes);
    }
    for (int i = 0; i < n; ++i) volts[i] = measured[2 * i + 1];
    power<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(volts, watts, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) report[i] = watts[n - 1 - i];
    if (n > 8000) {
        cudaFreeHost(volts);
        cudaFreeHost(watts);
    }
}
