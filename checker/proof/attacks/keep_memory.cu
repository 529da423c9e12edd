// attack: leaves memory behind that stays when the process has ended
// exercise: roundtrip
// expect: passed
// prints-not: kept
// gpu: yes
// stopped-by: system calls: those for memory and queues that outlive a process fail

#include <cstdio>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    if (shmget(IPC_PRIVATE, 1 << 20, IPC_CREAT | 0600) >= 0 || semget(IPC_PRIVATE, 1, IPC_CREAT | 0600) >= 0 ||
        msgget(IPC_PRIVATE, IPC_CREAT | 0600) >= 0) {
        printf("kept\n");
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
