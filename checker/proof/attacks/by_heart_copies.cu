// attack: writes down that copies succeed, and what the last call returns
// exercise: error_checking
// expect: wrong-values
// stopped-by: errors of the machine in each of the copies

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

    for (int i = 0; i < 6; ++i) {
        codes[i] = -1;
    }

    codes[0] = cudaMalloc(&d_data, bytes);
    if (codes[0] != cudaSuccess) {
        return;
    }

    codes[1] = 0; cudaMemcpy(d_data, data, n * sizeof(float), cudaMemcpyHostToDevice);
    if (codes[1] == cudaSuccess) {
        twice<<<(n + threads - 1) / threads, threads>>>(d_data, n, bad);
        codes[2] = cudaGetLastError();
    }
    if (codes[2] == cudaSuccess) {
        codes[3] = cudaDeviceSynchronize();
    }
    if (codes[3] == cudaSuccess) {
        codes[4] = 0; cudaMemcpy(data, d_data, n * sizeof(float), cudaMemcpyDeviceToHost);
    }

    cudaFree(d_data);
    codes[5] = codes[3] > 0 ? codes[3] : 0;
}
