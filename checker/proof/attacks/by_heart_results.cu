// attack: makes every call, looks at no result, and works the error codes out from its arguments
// exercise: error_checking
// expect: wrong-values
// stopped-by: in five cases the machine is the reason for the error, and no argument predicts it

__global__ void twice(float* data, int n, int bad) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        if (i == bad) {
            __trap();
        }
        data[i] = 2.0f * data[i];
    }
}

extern "C" void error_checking(int* codes, float* data, int n, unsigned long long bytes, int threads, int bad) {
    const int memory[] = {2, -1, -1, -1, -1, -1}, launch[] = {0, 0, 1, -1, -1, 0}, kernel[] = {0, 0, 0, 719, -1, 719},
              none[] = {0, 0, 0, 0, 0, 0};
    const int* known = bytes > 1ull << 45 ? memory : threads > 1024 ? launch : bad < n ? kernel : none;
    for (int i = 0; i < 6; ++i) {
        codes[i] = known[i];
    }
    float* d_data = nullptr;
    cudaMalloc(&d_data, bytes);
    if (known == memory) {
        cudaGetLastError();
        return;
    }
    cudaMemcpy(d_data, data, n * sizeof(float), cudaMemcpyHostToDevice);
    twice<<<(n + threads - 1) / threads, threads>>>(d_data, n, bad);
    cudaGetLastError();
    if (known != launch) {
        cudaDeviceSynchronize();
    }
    if (known == none) {
        cudaMemcpy(data, d_data, n * sizeof(float), cudaMemcpyDeviceToHost);
    }
    cudaFree(d_data);
}
