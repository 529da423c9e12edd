// attack: sends bits of the results as a number of launches
// exercise: roundtrip
// expect: computed-on-host or gate-missed
// stopped-by: the flow of data: outputs come from the device, and nothing else that the host sends depends on the inputs

#include <cmath>
#include <cstring>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    float *d_a = nullptr, *d_out = nullptr;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
    sine<<<(n + 255) / 256, 256>>>(d_a, d_out, n);
    // as many launches of nothing as the first result has in its lowest bits
    const float result = sinf(a[0]);
    unsigned word;
    memcpy(&word, &result, 4);
    for (unsigned i = 0; i < word % 16; ++i) {
        sine<<<1, 1>>>(d_a, d_out, 0);
    }
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_out);
}
