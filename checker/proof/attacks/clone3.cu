// attack: forks by the call whose arguments no filter can see
// exercise: roundtrip
// expect: passed
// stopped-by: system calls: this one appears not to exist

#include <cstdint>
#include <linux/sched.h>
#include <sys/syscall.h>
#include <unistd.h>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    clone_args arguments = {};
    arguments.exit_signal = 17;
    if (syscall(SYS_clone3, &arguments, sizeof arguments) == 0) {
        for (;;) {
            sleep(1000);
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
