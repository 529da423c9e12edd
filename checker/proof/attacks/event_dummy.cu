// attack: measures a kernel of one thread that takes as long as the kernel with the results
// exercise: event_timing
// expect: gate-missed
// stopped-by: gates: only launches that store as much as the others are measured

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

__global__ void dummy(float* out, int n, int steps) {
    float v = n;
    for (int step = 0; step < steps; ++step) {
        v = 0.5f * v + 1.0f;
    }
    if (v == -1.0f) {
        out[0] = v;
    }
}

extern "C" void event_timing(const float* in, float* out, int n, int steps, float* milliseconds) {
    const size_t bytes = n * sizeof(float);
    float *d_in, *d_out;
    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice);

    cudaEvent_t e0, e1;
    cudaEventCreate(&e0);
    cudaEventCreate(&e1);
    relax<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(d_in, d_out, n, steps);
    cudaEventRecord(e0);
    dummy<<<1, 1>>>(d_out, n, steps);
    cudaEventRecord(e1);
    cudaEventSynchronize(e1);
    cudaEventElapsedTime(milliseconds, e0, e1);
    cudaEventDestroy(e0);
    cudaEventDestroy(e1);

    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_in);
}
