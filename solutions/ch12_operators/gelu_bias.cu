// The sum of an element and its bias stays in a register, so the kernel neither stores it nor loads
// it again. A thread computes one column of a strip of rows, and keeps the bias of this column for
// the whole strip. So there's one load of the bias for ROWS elements.

constexpr int BLOCK = 256;
constexpr int ROWS = 16;  // rows of a strip

__device__ float gelu(float v) {
    return 0.5f * v * (1.0f + erff(v * 0.70710678f));
}

__global__ void gelu_of_sums(const float* x, const float* bias, float* out, int rows, int cols) {
    const int col = blockIdx.x * blockDim.x + threadIdx.x;
    const int first = blockIdx.y * ROWS;  // the first row of the strip
    if (col < cols) {
        const float own = bias[col];
        for (int row = first; row < min(first + ROWS, rows); ++row) {
            out[row * cols + col] = gelu(x[row * cols + col] + own);
        }
    }
}

extern "C" void gelu_bias(const float* x, const float* bias, float* out, int rows, int cols) {
    const int n = rows * cols;
    const dim3 grid((cols + BLOCK - 1) / BLOCK, (rows + ROWS - 1) / ROWS);
    float *d_x, *d_bias, *d_out;
    cudaMalloc(&d_x, n * sizeof(float));
    cudaMalloc(&d_bias, cols * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_x, x, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_bias, bias, cols * sizeof(float), cudaMemcpyHostToDevice);

    gelu_of_sums<<<grid, BLOCK>>>(d_x, d_bias, d_out, rows, cols);

    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_bias);
    cudaFree(d_x);
}
