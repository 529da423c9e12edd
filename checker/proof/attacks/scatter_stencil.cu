// attack: each thread adds its element to all results that need it, so there are few loads
// exercise: stencil_1d
// expect: gate-missed
// stopped-by: gates: atomic operations on global memory

__global__ void scatter(const float* in, float* out, int n, int radius) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) {
        const float v = in[i];
        for (int k = max(0, i - radius); k <= min(n - 1, i + radius); ++k) atomicAdd(&out[k], v);
    }
}
extern "C" void stencil_1d(const float* in, float* out, int n, int radius) {
    float *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_in, in, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, n * sizeof(float));
    scatter<<<(n + 255) / 256, 256>>>(d_in, d_out, n, radius);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_out); cudaFree(d_in);
}
