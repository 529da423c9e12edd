// exercise: in_out_inout
// expect: not faster
// Returns without waiting for its own stream, and frees nothing.
__global__ void multiply_add(const float* a, const float* b, float c, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        out[idx] = a[idx] * b[idx] + c;
    }
}

extern "C" void in_out_inout(const float* a, const float* b, float c, float* out, int n) {
    const size_t bytes = n * sizeof(float);
    cudaStream_t own;
    cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    float *d_a, *d_b, *d_out;
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_b, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpyAsync(d_a, a, bytes, cudaMemcpyHostToDevice, own);
    cudaMemcpyAsync(d_b, b, bytes, cudaMemcpyHostToDevice, own);
    multiply_add<<<(n + 255) / 256, 256, 0, own>>>(d_a, d_b, c, d_out, n);
    cudaMemcpyAsync(out, d_out, bytes, cudaMemcpyDeviceToHost, own);
}
