// Allocations, copies, launches and times. `tests/suite/programs.rs` expects these counts and lines.
#include <cstdio>
__global__ void add(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += 1;
}
struct Buffer {
    float* p;
    Buffer(int n) { cudaMalloc(&p, n * 4); }
    ~Buffer() { cudaFree(p); }
};
template <class T>
T* make(int n) {
    T* p;
    cudaMalloc(&p, n * sizeof(T));
    return p;
}
int main() {
    float* d = make<float>(50);
    { Buffer other(300); }
    Buffer b(100);
    float h[100] = {};
    cudaMemcpy(b.p, h, 400, cudaMemcpyHostToDevice);
    cudaStream_t s;
    cudaStreamCreate(&s);
    add<<<1, 128, 0, s>>>(b.p, 100);
    cudaEvent_t first, last;
    cudaEventCreate(&first);
    cudaEventCreate(&last);
    cudaEventRecord(first);
    // this call spans two lines
    add<<<1, 128>>>(
        b.p, 100);
    cudaEventRecord(last);
    cudaEventSynchronize(last);
    float ms;
    cudaEventElapsedTime(&ms, first, last);
    cudaMemset(d, 0, 200);
    cudaDeviceSynchronize();
    printf("%g\n", ms);
}
