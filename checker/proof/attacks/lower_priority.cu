// attack: lowers the priority of the checker, and moves its memory
// exercise: roundtrip
// expect: passed
// prints-not: lowered
// gpu: yes
// stopped-by: system calls: those about another process fail

#include <cstdio>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    const pid_t checker = getppid();
    sched_param parameters = {};
    const rlimit limit = {0, 0};
    if (setpriority(PRIO_PROCESS, checker, 19) == 0 || sched_setscheduler(checker, SCHED_IDLE, &parameters) == 0 ||
        syscall(SYS_ioprio_set, 1, checker, 3 << 13) == 0 || prlimit(checker, RLIMIT_NOFILE, &limit, nullptr) == 0) {
        printf("lowered\n");
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
