// attack: measures a kernel that only copies the results, in a loop that takes as long as the kernel that computes them
// exercise: event_timing
// expect: gate-missed
// stopped-by: a run in which no launch but the measured one does anything

constexpr int BLOCK = 256;

__global__ void relax(const float* in, float* out, int n, int steps) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        float v = in[idx];
        // after 32 steps, v hardly changes
        for (int step = 0; step < min(steps, 32); ++step) v = 0.5f * v + 1.0f;
        out[idx] = v;
    }
}

__global__ void decoy(const float* from, float* to, int n, int steps) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        float v = from[idx];
        for (int step = 0; step < steps; ++step) v = fabsf(v) * 1.000001f;
        to[idx] = v < 0.0f ? v : from[idx];
    }
}

extern "C" void event_timing(const float* in, float* out, int n, int steps, float* milliseconds) {
    const size_t bytes = n * sizeof(float);
    float *d_in, *d_mid, *d_out;
    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_mid, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice);
    relax<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_in, d_mid, n, steps);
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start);
    decoy<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_mid, d_out, n, steps);
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(milliseconds, start, stop);
    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaEventDestroy(stop);
    cudaEventDestroy(start);
    cudaFree(d_out);
    cudaFree(d_mid);
    cudaFree(d_in);
}
