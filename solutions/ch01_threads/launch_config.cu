// The number of blocks is n divided by the size of a block and rounded up, because a remainder of
// one element needs a block, too. If n is a multiple of `block`, the formula gives exactly
// n / block, and otherwise it gives the next larger whole number. The program makes one launch, and
// at most block - 1 of its threads have no element.

__global__ void saxpy(float a, const float* x, const float* y, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        out[idx] = a * x[idx] + y[idx];
    }
}

extern "C" void launch_config(float a, const float* x, const float* y, float* out, int n) {
    const size_t bytes = n * sizeof(float);
    float *d_x, *d_y, *d_out;
    cudaMalloc(&d_x, bytes);
    cudaMalloc(&d_y, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_y, y, bytes, cudaMemcpyHostToDevice);

    const int block = 256;                     // threads in each block
    const int grid = (n + block - 1) / block;  // blocks, rounded up
    saxpy<<<grid, block>>>(a, d_x, d_y, d_out, n);

    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_y);
    cudaFree(d_x);
}
