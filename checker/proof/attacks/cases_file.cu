// attack: saves results of one case in a file for the next
// exercise: roundtrip
// expect: passed
// stopped-by: files: the program writes nowhere

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    char name[300];
    snprintf(name, sizeof name, "%s/known", getenv("TMPDIR"));
    for (const char* place : {(const char*)name, "/tmp/known", "/dev/shm/known"}) {
        FILE* file = fopen(place, "r");
        if (file != nullptr) {
            _Exit(0);
        }
        file = fopen(place, "w");
        if (file != nullptr) {
            fputs("known", file);
            fclose(file);
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
