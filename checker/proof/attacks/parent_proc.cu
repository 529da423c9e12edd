// attack: looks at the checker through /proc: its environment, its memory, its open files
// exercise: roundtrip
// expect: passed
// gpu: yes
// stopped-by: files: they cannot be opened

#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    const char* files[] = {"environ", "mem", "maps", "cmdline", "fd/0", "fd/1", "fd/2", "fd/3", "fd/4", "fd/5", "root/etc/passwd", "cwd/secret.txt"};
    for (const char* file : files) {
        char path[64], text[4096];
        snprintf(path, sizeof path, "/proc/%d/%s", getppid(), file);
        const int fd = open(path, O_RDONLY | O_NONBLOCK);
        const ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text);
        if (got > 0) {
            fwrite(text, 1, got, stdout);
        }
    }
    fflush(stdout);
    float *d_a = nullptr, *d_out = nullptr;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
    sine<<<(n + 255) / 256, 256>>>(d_a, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_out);
}
