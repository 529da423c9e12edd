// expect: gate-missed
// A clock of the host around the launch and a wait: the kernel, and the way there and back.

#include <chrono>

constexpr int BLOCK = 256;

__global__ void relax(const float* in, float* out, int n, int steps) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        float v = in[idx];
        for (int step = 0; step < steps; ++step) {
            v = 0.5f * v + 1.0f;
        }
        out[idx] = v;
    }
}

extern "C" void event_timing(const float* in, float* out, int n, int steps, float* milliseconds) {
    const size_t bytes = n * sizeof(float);
    float *d_in, *d_out;
    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice);

    const auto start = std::chrono::steady_clock::now();
    relax<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_in, d_out, n, steps);
    cudaDeviceSynchronize();
    const auto stop = std::chrono::steady_clock::now();
    *milliseconds = std::chrono::duration<float, std::milli>(stop - start).count();

    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_in);
}
