// attack: reads where links lead, such as the checker's open files
// exercise: roundtrip
// expect: passed
// prints-not: leads
// stopped-by: system calls: reading links fails

#include <cstdio>
#include <string>
#include <unistd.h>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    char to[256];
    for (int i = 0; i < 16; ++i) {
        for (const int process : {int(getppid()), int(getpid())}) {
            const std::string path = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(i);
            const long length = readlink(path.c_str(), to, sizeof to - 1);
            if (length > 0) {
                to[length] = 0;
                printf("leads to %s\n", to);
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
