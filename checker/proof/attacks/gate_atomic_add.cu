// attack: reads each element 65 times by adding zero to it
// exercise: stencil_1d
// expect: gate-missed
// stopped-by: gates count what moves data: an atomic operation whose result is used is a load

__global__ void sum_around(float* in, float* out, int n, int radius) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int k = i - radius; k <= i + radius; ++k) {
            sum += 0 <= k && k < n ? atomicAdd(in + k, 0.0f) : 0.0f;
        }
        out[i] = sum;
    }
}

extern "C" void stencil_1d(const float* in, float* out, int n, int radius) {
    float *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_in, in, n * sizeof(float), cudaMemcpyHostToDevice);
    sum_around<<<(n + 255) / 256, 256>>>(d_in, d_out, n, radius);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_in);
}
