// attack: tells the kernel that its memory is broken, so that root takes pages of the machine out of use
// exercise: roundtrip
// expect: passed
// prints-not: broken
// gpu: yes
// stopped-by: system calls: this advice about memory fails

#include <cstdio>
#include <sys/mman.h>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *static_cast<char*>(page) = 1;
    const int soft_offline = 101;  // asm-generic/mman-common.h
    if (madvise(page, 4096, soft_offline) == 0) {
        printf("broken\n");
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
