// expect: output-not-written
// Does the work, but records no codes.

__global__ void twice(float* data, int n, int bad) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        if (idx == bad) {
            __trap();  // ends the kernel with an error, as a bad address would
        }
        data[idx] = 2.0f * data[idx];
    }
}

extern "C" void error_checking(int* codes, float* data, int n, unsigned long long bytes,
                               int threads, int bad) {
    float* d_data = nullptr;
    cudaMalloc(&d_data, bytes);
    cudaMemcpy(d_data, data, n * sizeof(float), cudaMemcpyHostToDevice);
    twice<<<(n + threads - 1) / threads, threads>>>(d_data, n, bad);
    cudaMemcpy(data, d_data, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_data);
}
