// attack: starts threads without an end
// exercise: roundtrip
// expect: host-crash
// stopped-by: the kernel asks the checker before each thread

#include <pthread.h>
#include <unistd.h>

static void* wait(void*) {
    for (;;) {
        sleep(1000);
    }
}

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    pthread_t thread;
    for (int i = 0; i < 100000; ++i) {
        if (pthread_create(&thread, nullptr, wait, nullptr) != 0) {
            break;
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
