// attack: defines functions of the C library, in the hope that the checker calls them
// exercise: roundtrip
// expect: passed
// stopped-by: the program's symbols are local to it, so the checker never binds to them

#include <cstddef>
#include <unistd.h>

extern "C" ssize_t write(int, const void*, size_t) {
    _exit(0);
}
extern "C" int memcmp(const void*, const void*, size_t) {
    return 0;
}
extern "C" void* calloc(size_t, size_t) {
    return nullptr;
}
extern "C" void _exit_now() {
    _exit(0);
}

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
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_out);
}
