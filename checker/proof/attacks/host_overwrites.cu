// attack: copies and launches as it should, with an empty kernel, and overwrites the results on the host
// exercise: roundtrip
// expect: computed-on-host
// stopped-by: the flow of data: outputs come from the device, and nothing else that the host sends depends on the inputs

#include <cmath>

__global__ void nothing(float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = 0;
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    float *d_a = nullptr, *d_out = nullptr;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
    nothing<<<(n + 255) / 256, 256>>>(d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) {
        out[i] = sinf(a[i]);
    }
    cudaFree(d_a);
    cudaFree(d_out);
}
