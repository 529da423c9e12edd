// attack: starts threads that start threads, all of them busy, so that the checker does not get a processor
// exercise: roundtrip
// expect: host-crash or never-finishes or program-ended
// stopped-by: the kernel asks the checker before each thread
// limit: where the memory for stacks ends before the 256 threads, as on a server for a class, the threads that exist run until the time is over, or glibc ends the process

#include <atomic>
#include <thread>

static void more() {
    for (;;) {
        try {
            std::thread(more).detach();
        } catch (...) {
        }
    }
}

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    std::thread(more).detach();
    more();
    float *d_a = nullptr, *d_out = nullptr;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
    sine<<<(n + 255) / 256, 256>>>(d_a, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_out);
}
