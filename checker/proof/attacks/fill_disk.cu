// attack: writes files until the disk is full
// exercise: roundtrip
// expect: passed
// gpu: yes
// stopped-by: files: the program writes nowhere

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    static char zeros[1 << 20];
    for (int i = 0; i < 100000; ++i) {
        char name[300];
        snprintf(name, sizeof name, "%s/%d", getenv("TMPDIR"), i);
        const int fd = open(name, O_WRONLY | O_CREAT, 0666);
        if (fd < 0) {
            break;
        }
        while (write(fd, zeros, sizeof zeros) > 0) {
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
