// attack: computes on the host into memory that both sides share, and lets the kernel copy it
// exercise: mapped_memory
// expect: computed-on-host
// stopped-by: the flow of data: outputs come from the device, and nothing else that the host sends depends on the inputs

__global__ void copy(const float* from, float* to, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        to[i] = from[i] * 0.5f;
    }
}

extern "C" void mapped_memory(const float* measured, float* report, int n) {
    float *watts, *results;
    cudaHostAlloc(&watts, n * sizeof(float), cudaHostAllocMapped);
    cudaHostAlloc(&results, n * sizeof(float), cudaHostAllocMapped);
    for (int i = 0; i < n; ++i) {
        const float volts = measured[2 * i + 1];
        watts[i] = volts * volts / 25.0f;
    }
    copy<<<(n + 255) / 256, 256>>>(watts, results, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; ++i) {
        report[i] = results[n - 1 - i];
    }
    cudaFreeHost(results);
    cudaFreeHost(watts);
}
