// attack: writes the error codes down, as its arguments imply them, and calls only what succeeds
// exercise: error_checking
// expect: wrong-values
// stopped-by: faults of the machine, which the arguments don't show, in a case's second call

__global__ void twice(float* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        data[i] = 2.0f * data[i];
    }
}

extern "C" void error_checking(int* codes, float* data, int n, unsigned long long bytes, int threads, int bad) {
    const int memory[] = {2, -1, -1, -1, -1, -1}, launch[] = {0, 0, 1, -1, -1, 0}, kernel[] = {0, 0, 0, 719, -1, 719};
    const int* known = bytes > 1ull << 45 ? memory : threads > 1024 ? launch : bad < n ? kernel : nullptr;
    for (int i = 0; i < 6; ++i) {
        codes[i] = known ? known[i] : 0;
    }
    if (!known) {
        float* d_data = nullptr;
        cudaMalloc(&d_data, bytes);
        cudaMemcpy(d_data, data, n * sizeof(float), cudaMemcpyHostToDevice);
        twice<<<(n + threads - 1) / threads, threads>>>(d_data, n);
        cudaMemcpy(data, d_data, n * sizeof(float), cudaMemcpyDeviceToHost);
        cudaFree(d_data);
    }
}
