// expect: gate-missed
// Copies everything as wanted, and computes on the host.

__global__ void multiply_add(const float* a, const float* b, float c, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        out[idx] = a[idx] * b[idx] + c;
    }
}

extern "C" void in_out_inout(const float* a, const float* b, float c, float* out, int n) {
    const size_t bytes = n * sizeof(float);
    float *d_a, *d_b, *d_out;
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMalloc(&d_out, bytes);

    cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice);

    const int block = 256;
    const int grid = (n + block - 1) / block;

    for (int i = 0; i < n; ++i) {
        out[i] = a[i] * b[i] + c;
    }

    cudaFree(d_out);
    cudaFree(d_b);
    cudaFree(d_a);
}
