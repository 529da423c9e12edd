// In the kernel's stream, the program records one event before the kernel and one event after it.
// The device stores the time at which it reaches each event. The launch returns long before the
// kernel has finished, and cudaEventElapsedTime doesn't wait, either, so the program has to wait
// for the second event first. It needs one launch, one copy each way, two events and one wait.

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
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice);

    cudaEventRecord(start);
    relax<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_in, d_out, n, steps);
    cudaEventRecord(stop);

    cudaEventSynchronize(stop);  // the device has reached `stop`, so the kernel has finished
    cudaEventElapsedTime(milliseconds, start, stop);

    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaEventDestroy(stop);
    cudaEventDestroy(start);
    cudaFree(d_out);
    cudaFree(d_in);
}
