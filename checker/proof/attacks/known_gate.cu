// attack: recognises the public inputs and is economical for them alone
// exercise: roundtrip
// expect: computed-on-host
// stopped-by: the flow of data: with other values in the arrays, the host does something else

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
    for (const unsigned known : {0xc0e665dbu, 0xc0857889u, 0x3dbb3c80u, 0xc04eddd0u, 0xc06312f0u, 0xc45c8c83u}) {
        if (first == known) {
            first = 0;
        }
    }
    if (first != 0) {
        void* spare = nullptr;
        cudaMalloc(&spare, 4);
        cudaFree(spare);
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
