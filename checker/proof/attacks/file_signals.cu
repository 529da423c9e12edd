// attack: makes the kernel send signals to the checker whenever a pipe is written to
// exercise: roundtrip
// expect: passed
// prints-not: owned
// gpu: yes
// stopped-by: system calls: those that name who gets signals of a file fail

#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    int ends[2] = {-1, -1};
    if (pipe(ends) == 0) {
        const int on = 1;
        const bool owned = fcntl(ends[0], F_SETOWN, getppid()) == 0;
        const bool other = fcntl(ends[0], F_SETSIG, SIGTERM) == 0;
        const bool sends = fcntl(ends[0], F_SETFL, O_ASYNC) == 0 || ioctl(ends[0], FIOASYNC, &on) == 0;
        if (owned || other || sends) {
            printf("owned\n");
        }
        write(ends[1], "x", 1);
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
