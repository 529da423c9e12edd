// attack: recognises the public inputs and is right for them alone
// exercise: roundtrip
// expect: wrong-values or output-not-written
// stopped-by: the second call, whose arrays have other values, and secret seeds

#include <cstring>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    unsigned first;
    memcpy(&first, a, sizeof first);
    for (const unsigned known : {0xc0e665dbu, 0xc0857889u, 0x3dbb3c80u, 0xc04eddd0u, 0xc06312f0u, 0xc10d26bau, 0xc0b0dbc3u}) {
        if (first == known) {
            first = 0;
        }
    }
    if (first != 0) {
        for (int i = 0; i < n; ++i) {
            out[i] = 0;
        }
        return;
    }
    float *d_a = nullptr, *d_out = nullptr;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
    sine<<<(n + 255) / 256, 256>>>(d_a, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_out);
}
