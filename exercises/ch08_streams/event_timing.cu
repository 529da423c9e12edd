// event_timing | chapter 8 | "Timing with events"
//
// Goal    compute out[i] = in[i] after `steps` steps of v = 0.5 * v + 1, and measure the kernel.
//
// in      [n]  f32, in the host's memory, read only
// out     [n]  f32, in the host's memory, every element must be written
// n       count
// steps   number of steps for each element
// milliseconds  [1]  f32, in the host's memory: the kernel's time on the device as
//               cudaEventElapsedTime returns it, without the copies
//
// The results are right, but the time is wrong. It hardly changes if you make `steps` a hundred
// times as large.
//
// Run     cargo checker check event_timing     Stuck?  cargo checker hint event_timing

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
    const auto stop = std::chrono::steady_clock::now();
    *milliseconds = std::chrono::duration<float, std::milli>(stop - start).count();

    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_in);
}
