// A block keeps the bias of its columns in shared memory. Its threads form a square and step through
// a strip of rows.

constexpr int SIDE = 32;

__global__ void fused(const float* x, const float* bias, float* out, int rows, int cols) {
    __shared__ float own[SIDE];
    const int col = blockIdx.x * SIDE + threadIdx.x;
    if (threadIdx.y == 0 && col < cols) {
        own[threadIdx.x] = bias[col];
    }
    __syncthreads();
    const int strip = 4 * blockDim.y;
    if (col < cols) {
        for (int k = threadIdx.y; k < strip; k += blockDim.y) {
            const int row = blockIdx.y * strip + k;
            if (row < rows) {
                const float v = x[size_t(row) * cols + col] + own[threadIdx.x];
                out[size_t(row) * cols + col] = 0.5f * v * erfcf(-v * 0.70710678f);
            }
        }
    }
}

extern "C" void gelu_bias(const float* x, const float* bias, float* out, int rows, int cols) {
    const size_t bytes = size_t(rows) * cols * sizeof(float);
    const dim3 block(SIDE, 8), grid((cols + SIDE - 1) / SIDE, (rows + 31) / 32);
    float *d_x, *d_bias;
    cudaMalloc(&d_x, bytes);
    cudaMalloc(&d_bias, cols * sizeof(float));
    cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_bias, bias, cols * sizeof(float), cudaMemcpyHostToDevice);
    fused<<<grid, block>>>(d_x, d_bias, d_x, rows, cols);  // in place
    cudaMemcpy(out, d_x, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_bias);
    cudaFree(d_x);
}
