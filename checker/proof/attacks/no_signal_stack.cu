// attack: leaves the handler of forbidden system calls no stack, and handles the signal that the kernel sends then
// exercise: roundtrip
// expect: host-crash
// stopped-by: system calls: the handler of SIGSEGV cannot be replaced

#include <csignal>
#include <sys/syscall.h>
#include <unistd.h>

static void ignore(int) {
}

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    struct sigaction action = {};
    action.sa_handler = ignore;
    sigaction(SIGSEGV, &action, nullptr);
    stack_t stack = {};
    stack.ss_sp = reinterpret_cast<void*>(64);
    stack.ss_size = 1 << 20;
    sigaltstack(&stack, nullptr);
    syscall(SYS_kill, getppid(), SIGKILL);
    float *d_a = nullptr, *d_out = nullptr;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
    sine<<<(n + 255) / 256, 256>>>(d_a, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_out);
}
