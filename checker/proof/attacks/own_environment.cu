// attack: prints where the checker's account keeps its files, from the environment of its own process
// exercise: roundtrip
// expect: passed
// prints-not: a path
// stopped-by: the environment: a program gets no variable that it does not need

#include <cstdio>
#include <cstring>
#include <unistd.h>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    for (char** variable = environ; *variable != nullptr; variable++) {
        const char* own[] = {"@CACHE@", "@COURSE@/book", "HOME=", "USER=", "CUDA_PATH=", "CUDA_HOME="};
        for (const char* text : own) {
            if (strstr(*variable, text) != nullptr || strncmp(*variable, "PATH=", 5) == 0) {
                printf("a path: %s\n", *variable);
            }
        }
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
