// attack: starts another program
// exercise: roundtrip
// expect: host-crash
// stopped-by: system calls: a forbidden one ends the process

#include <spawn.h>
#include <unistd.h>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    const char* words[] = {"/bin/sh", "-c", "echo passed; touch @CANARY@/made", nullptr};
    posix_spawn(nullptr, words[0], nullptr, nullptr, const_cast<char**>(words), environ);
    float *d_a = nullptr, *d_out = nullptr;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
    sine<<<(n + 255) / 256, 256>>>(d_a, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_out);
}
