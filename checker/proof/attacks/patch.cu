// attack: makes the checker's own code writable and overwrites it
// exercise: roundtrip
// expect: host-crash
// stopped-by: the process contains nothing except its own answer

#include <cstdio>
#include <cstring>
#include <sys/mman.h>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    FILE* maps = fopen("/proc/self/maps", "r");
    char line[512], rights[8];
    unsigned long from, to;
    while (maps != nullptr && fgets(line, sizeof line, maps) != nullptr) {
        const int got = sscanf(line, "%lx-%lx %7s", &from, &to, rights);
        if (got == 3 && rights[2] == 'x' && strstr(line, "checker") != nullptr) {
            mprotect(reinterpret_cast<void*>(from), to - from, PROT_READ | PROT_WRITE | PROT_EXEC);
            memset(reinterpret_cast<void*>(from), 0x90, to - from);
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
