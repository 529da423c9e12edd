// attack: frees nothing, and resets the device after each round
// exercise: cleanup
// expect: memory-leak
// stopped-by: what is there at a reset has not been freed

__global__ void saxpy(float a, const float* x, const float* y, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) out[idx] = a * x[idx] + y[idx];
}
extern "C" void cleanup(float a, const float* x, float* y, int n, int rounds) {
    const size_t bytes = n * sizeof(float);
    for (int round = 0; round < rounds; ++round) {
        float *d_x, *d_y, *d_out;
        cudaMalloc(&d_x, bytes); cudaMalloc(&d_y, bytes); cudaMalloc(&d_out, bytes);
        cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice);
        cudaMemcpy(d_y, y, bytes, cudaMemcpyHostToDevice);
        saxpy<<<(n + 255) / 256, 256>>>(a, d_x, d_y, d_out, n);
        cudaMemcpy(y, d_out, bytes, cudaMemcpyDeviceToHost);
        cudaDeviceReset();
    }
}
