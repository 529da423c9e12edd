// attack: overwrites all writable memory of the process, including the checker's part
// exercise: roundtrip
// expect: host-crash or never-finishes
// idle: yes
// stopped-by: the process contains nothing except its own answer

#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

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
        if (got == 3 && rights[1] == 'w' && (strstr(line, "checker") != nullptr || strstr(line, "[heap]") != nullptr)) {
            memset(reinterpret_cast<void*>(from), 0x5a, to - from);
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
