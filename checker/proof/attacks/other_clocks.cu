// attack: reads how much processor time the checker has used, to learn about its secret runs
// exercise: roundtrip
// expect: passed
// prints-not: used
// stopped-by: system calls: the clocks of other processes cannot be read

#include <cstdio>
#include <ctime>
#include <unistd.h>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    clockid_t clock;
    timespec time;
    if (clock_getcpuclockid(getppid(), &clock) == 0 && clock_gettime(clock, &time) == 0) {
        printf("used %ld\n", time.tv_nsec);
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
