// A launch only puts a kernel into a stream. The host continues at once.
#include <cstdio>

// ANCHOR: kernel
__global__ void settle(float* v, int n, int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = v[i];
        for (int step = 0; step < steps; ++step) {
            x = 0.25f * x + 3.0f;  // comes closer and closer to 4
        }
        v[i] = x;
    }
}
// ANCHOR_END: kernel

// ANCHOR: main
int main() {
    constexpr int N = 4096;
    float* d_v = nullptr;
    cudaMalloc(&d_v, N * sizeof(float));
    cudaMemset(d_v, 0, N * sizeof(float));

    cudaStream_t stream;
    cudaStreamCreate(&stream);                                 // (1)

    settle<<<N / 256, 256, 0, stream>>>(d_v, N, 5000);         // (2)
    bool running = cudaStreamQuery(stream) == cudaErrorNotReady;  // (3)
    printf("after the launch: %s\n", running ? "running" : "done");

    cudaStreamSynchronize(stream);                             // (4)
    running = cudaStreamQuery(stream) == cudaErrorNotReady;
    printf("after the wait:   %s\n", running ? "running" : "done");

    float last = 0.0f;
    cudaMemcpy(&last, d_v + N - 1, sizeof(float), cudaMemcpyDeviceToHost);
    printf("the last element: %g\n", last);

    cudaStreamDestroy(stream);
    cudaFree(d_v);
}
// ANCHOR_END: main
