// attack: takes shared memory without an end, which limits on data do not count
// exercise: roundtrip
// expect: host-crash
// graded: yes
// stopped-by: the checker watches the memory of its processes

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    for (;;) {
        void* p = mmap(nullptr, 64 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) {
            abort();
        }
        memset(p, 1, 64 << 20);
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
