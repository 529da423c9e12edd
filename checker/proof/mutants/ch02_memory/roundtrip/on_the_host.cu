// expect: gate-missed
// Computes on the host, and has no use for the device.

__global__ void sine(const float* a, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sinf(a[i]);
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    float* d_a = nullptr;    // will point to n floats on the device
    float* d_out = nullptr;  // the same, for the results
    const size_t bytes = n * sizeof(float);

    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_out, bytes);

    cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice);

    for (int i = 0; i < n; ++i) {
        out[i] = sinf(a[i]);
    }

    cudaFree(d_out);
    cudaFree(d_a);
}
