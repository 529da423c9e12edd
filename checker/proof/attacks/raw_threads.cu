// attack: starts threads that share one small stack, as fast as it can, so that nothing else can be started
// exercise: roundtrip
// expect: host-crash
// stopped-by: the kernel asks the checker before each thread
// gpu: yes

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
static long thread(void* stack) {
    long result;
    register long tid asm("r10") = 0;
    register long tls asm("r8") = 0;
    asm volatile(
        "syscall\n\t"
        "test %%rax, %%rax\n\t"
        "jnz 1f\n\t"
        "2: mov $34, %%eax\n\t"  // pause
        "syscall\n\t"
        "jmp 2b\n"
        "1:"
        : "=a"(result)
        : "a"(SYS_clone), "D"(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM), "S"(stack),
          "d"(0), "r"(tid), "r"(tls)
        : "rcx", "r11", "memory");
    return result;
}
#else
static long thread(void*) {
    return -1;
}
#endif

alignas(16) static char stack[4096];

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    for (long started = 0; started < 60000;) {
        started += thread(stack + sizeof stack) > 0 ? 1 : 0;
    }
    for (;;) {
        sleep(1000);
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
