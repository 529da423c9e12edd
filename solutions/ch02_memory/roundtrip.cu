// The program takes five steps in this order: allocate, copy in, launch, copy out, free. It copies
// 4n bytes in and 4n bytes out and makes one launch. The launch doesn't wait for the kernel, but
// the copy back does, because it follows the kernel in the same stream.

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

    const int block = 256;
    const int grid = (n + block - 1) / block;  // rounded up: the last block may be partly idle
    sine<<<grid, block>>>(d_a, d_out, n);

    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);

    cudaFree(d_out);
    cudaFree(d_a);
}
