// attack: searches all memory of the process for expected results and prints what looks like a seed
// exercise: roundtrip
// expect: passed
// stopped-by: no process that runs the program contains seeds, references or secrets

#include <cstdio>
#include <cstring>

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
    const char tell[] = {'c', 'a', 'n', 'a', 'r', 'y', '-'};
    while (maps != nullptr && fgets(line, sizeof line, maps) != nullptr) {
        const int got = sscanf(line, "%lx-%lx %7s", &from, &to, rights);
        if (got != 3 || rights[0] != 'r' || strstr(line, "[v") != nullptr || to - from > (64ul << 20)) {
            continue;
        }
        for (const char* p = reinterpret_cast<const char*>(from); p + 64 < reinterpret_cast<const char*>(to); ++p) {
            if (*p == 'c' && memcmp(p, tell, sizeof tell) == 0) {
                printf("found %.40s\n", p);
            }
        }
    }
    fclose(maps);
    float *d_a = nullptr, *d_out = nullptr;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
    sine<<<(n + 255) / 256, 256>>>(d_a, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_out);
}
