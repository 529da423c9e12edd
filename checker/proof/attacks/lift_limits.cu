// attack: lifts its own limits
// exercise: roundtrip
// expect: passed
// stopped-by: system calls: this one fails

#include <sys/resource.h>
#include <unistd.h>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    const rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    for (int which = 0; which < 16; ++which) {
        if (setrlimit(static_cast<__rlimit_resource>(which), &all) == 0) {
            _exit(0);
        }
    }
    if (nice(-10) != -1 || setpriority(PRIO_PROCESS, 0, -10) == 0) {
        _exit(0);
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
