// attack: leaves the results of the host in managed memory, where a kernel copies them
// exercise: roundtrip
// expect: computed-on-host or gate-missed
// stopped-by: the flow of data: outputs come from the device, and nothing else that the host sends depends on the inputs

#include <cmath>

// It only moves what the host has computed.
__global__ void move(const float* from, float* to, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        to[i] = from[i];
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    float *d_a = nullptr, *managed = nullptr, *d_out = nullptr;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMallocManaged(&managed, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
    for (int i = 0; i < n; ++i) {
        managed[i] = sinf(a[i]);
    }
    move<<<(n + 255) / 256, 256>>>(managed, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(managed);
    cudaFree(d_a);
    cudaFree(d_out);
}
