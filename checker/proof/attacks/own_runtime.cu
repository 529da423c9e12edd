// attack: defines the functions of the CUDA runtime and computes on the host
// exercise: roundtrip
// expect: host-crash
// stopped-by: the program's calls resolve to the checker's functions before its own

#include <cmath>
#include <cstdlib>
#include <cstring>

cudaError_t my_malloc(void** p, size_t bytes) asm("cudaMalloc");
cudaError_t my_copy(void* to, const void* from, size_t bytes, cudaMemcpyKind) asm("cudaMemcpy");
cudaError_t my_free(void* p) asm("cudaFree");

cudaError_t my_malloc(void** p, size_t bytes) {
    *p = malloc(bytes);
    return cudaSuccess;
}
cudaError_t my_copy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
    memcpy(to, from, bytes);
    return cudaSuccess;
}
cudaError_t my_free(void* p) {
    free(p);
    return cudaSuccess;
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    float* mine = nullptr;
    cudaMalloc(reinterpret_cast<void**>(&mine), n * sizeof(float));
    cudaMemcpy(mine, a, n * sizeof(float), cudaMemcpyHostToDevice);
    for (int i = 0; i < n; ++i) {
        mine[i] = std::sin(mine[i]);
    }
    cudaMemcpy(out, mine, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(mine);
}
