// attack: changes files' modes to lock others out, and dates files back
// exercise: roundtrip
// expect: passed
// gpu: yes
// stopped-by: system calls: those that change a file's mode, owner or times fail, because landlock does not cover them

#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    const timeval back[2] = {{0, 0}, {0, 0}};
    for (const char* name : {"@CANARY@/secret.txt", "@CANARY@/results", "@COURSE@/Cargo.toml", "/usr/lib", "/tmp", "/proc/self/exe"}) {
        const int fd = open(name, O_RDONLY);
        if (chmod(name, 0) == 0 || fchmod(fd, 0) == 0 || chown(name, 1, 1) == 0 || utimes(name, back) == 0 || futimes(fd, back) == 0) {
            abort();
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
