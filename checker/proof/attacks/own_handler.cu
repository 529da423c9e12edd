// attack: replaces the handler of the signal for forbidden system calls, so that none of its attempts is reported
// exercise: roundtrip
// expect: host-crash
// stopped-by: system calls: the handler of SIGSYS cannot be replaced, and a forbidden call ends the process

#include <csignal>
#include <sys/syscall.h>
#include <unistd.h>

static void ignore(int, siginfo_t*, void*) {
}

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    struct sigaction action = {};
    action.sa_sigaction = ignore;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSYS, &action, nullptr);
    syscall(SYS_kill, getppid(), SIGKILL);
    syscall(SYS_memfd_create, "x", 0);
    syscall(SYS_socket, 2, 1, 0);
    float *d_a = nullptr, *d_out = nullptr;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
    sine<<<(n + 255) / 256, 256>>>(d_a, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_out);
}
