// attack: measures a launch that does nothing, and launches the kernel after the second event
// exercise: event_timing
// expect: gate-missed
// stopped-by: the share of the kernel's time that is measured

__global__ void relax(const float* in, float* out, int n, int steps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = in[i];
        for (int step = 0; step < steps; ++step) {
            v = 0.5f * v + 1.0f;
        }
        out[i] = v;
    }
}

__global__ void decoy() {}

extern "C" void event_timing(const float* in, float* out, int n, int steps, float* milliseconds) {
    const size_t bytes = n * sizeof(float);
    float *d_in, *d_out;
    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice);
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin);
    decoy<<<1, 1>>>();
    cudaEventRecord(end);
    relax<<<(n + 255) / 256, 256>>>(d_in, d_out, n, steps);
    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaEventElapsedTime(milliseconds, begin, end);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaFree(d_out);
    cudaFree(d_in);
}
