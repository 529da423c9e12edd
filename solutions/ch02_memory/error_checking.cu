// Every call returns an error code, and the program checks each code. A launch needs two checks.
// cudaGetLastError, which costs almost nothing, reports whether the kernel started, and
// cudaDeviceSynchronize reports whether it succeeded. An error in the kernel is sticky, so every
// later call returns it, even cudaFree. The error of a launch with wrong arguments isn't sticky,
// because the launch never reaches the device.

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

    codes[1] = cudaMemcpy(d_data, data, n * sizeof(float), cudaMemcpyHostToDevice);
    if (codes[1] == cudaSuccess) {
        twice<<<(n + threads - 1) / threads, threads>>>(d_data, n, bad);
        codes[2] = cudaGetLastError();
    }
    if (codes[2] == cudaSuccess) {
        codes[3] = cudaDeviceSynchronize();
    }
    if (codes[3] == cudaSuccess) {
        codes[4] = cudaMemcpy(data, d_data, n * sizeof(float), cudaMemcpyDeviceToHost);
    }

    codes[5] = cudaFree(d_data);
}
