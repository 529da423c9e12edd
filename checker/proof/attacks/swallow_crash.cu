// attack: handles its own crash and continues as if nothing had happened
// exercise: roundtrip
// expect: host-crash
// stopped-by: system calls: the handlers of SIGSEGV and SIGSYS cannot be replaced

#include <csetjmp>
#include <csignal>
#include <unistd.h>

static sigjmp_buf place;
static void handle(int) {
    siglongjmp(place, 1);
}

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    struct sigaction action = {};
    action.sa_handler = handle;
    sigaction(SIGSEGV, &action, nullptr);
    sigaction(SIGSYS, &action, nullptr);
    if (sigsetjmp(place, 1) == 0) {
        *reinterpret_cast<volatile int*>(16) = 1;
    }
    if (sigsetjmp(place, 1) == 0) {
        fork();
    }
    _exit(0);
    float *d_a = nullptr, *d_out = nullptr;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
    sine<<<(n + 255) / 256, 256>>>(d_a, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_out);
}
