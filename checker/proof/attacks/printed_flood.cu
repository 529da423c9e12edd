// attack: prints until the disk is full
// exercise: roundtrip
// expect: host-crash
// gpu: yes
// stopped-by: file sizes: exceeding the limit ends the process

#include <unistd.h>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    static char text[1 << 16];
    for (int i = 0; i < 1 << 16; ++i) {
        text[i] = i % 64 == 0 ? '\n' : 'x';
    }
    while (write(1, text, sizeof text) > 0) {
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
