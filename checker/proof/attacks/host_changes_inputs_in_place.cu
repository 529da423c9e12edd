// attack: overwrites the input array with the results before it copies it to the device, and restores it afterwards
// exercise: roundtrip
// expect: computed-on-host
// stopped-by: the flow of data: outputs come from the device, and nothing else that the host sends depends on the inputs

#include <cmath>
#include <vector>

// It only moves what the host has computed.
__global__ void move(const float* from, float* to, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        to[i] = from[i];
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    std::vector<float> before(a, a + n);
    float* changed = const_cast<float*>(a);
    for (int i = 0; i < n; ++i) {
        changed[i] = sinf(before[i]);
    }
    float *d_a = nullptr, *d_out = nullptr;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
    move<<<(n + 255) / 256, 256>>>(d_a, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; ++i) {
        changed[i] = before[i];
    }
    cudaFree(d_a);
    cudaFree(d_out);
}
