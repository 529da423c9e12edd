// attack: uses managed arrays of a fixed size, in place of mapped memory of the array's own size
// exercise: mapped_memory
// expect: gate-missed
// stopped-by: the gate of every program: its variables in the device's memory have at most 64 KiB

constexpr int BLOCK = 256;
constexpr float OHMS = 50.0f;

__managed__ float volts[300000];
__managed__ float watts[300000];

__global__ void power(int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        watts[i] = volts[i] * volts[i] / OHMS;
    }
}

extern "C" void mapped_memory(const float* measured, float* report, int n) {
    for (int i = 0; i < n; ++i) {
        volts[i] = measured[2 * i + 1];
    }
    power<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) {
        report[i] = watts[n - 1 - i];
    }
}
