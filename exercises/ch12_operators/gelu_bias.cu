// gelu_bias | chapter 12 | "Operators in one pass"
//
// Goal    compute out[r][c] = gelu(x[r][c] + bias[c]), with one launch, and with one store and at
//         most 1.25 loads for each element if there are 64 rows.
//
// x       [rows][cols]  f32, in the host's memory, read only
// bias    [cols]        f32, in the host's memory, read only
// out     [rows][cols]  f32, in the host's memory, every element must be written
// rows    count         any rows >= 1
// cols    count         any cols >= 1
//
// gelu(v) = v / 2 * (1 + erf(v / sqrt(2))), the activation function of many language models
//
// This program is right but wasteful. Like a library, it has a kernel for each operator, and each
// kernel loads its operands from global memory and stores its result there.
//
// Run     cargo checker check gelu_bias        Stuck?  cargo checker hint gelu_bias
//         cargo checker profile gelu_bias      counts the loads and stores of each line

constexpr int BLOCK = 256;

__global__ void add_bias(const float* x, const float* bias, float* out, int rows, int cols) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < rows * cols) {
        out[idx] = x[idx] + bias[idx % cols];
    }
}

__global__ void gelu(const float* x, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        const float v = x[idx];
        out[idx] = 0.5f * v * (1.0f + erff(v * 0.70710678f));
    }
}

extern "C" void gelu_bias(const float* x, const float* bias, float* out, int rows, int cols) {
    const int n = rows * cols;
    const int grid = (n + BLOCK - 1) / BLOCK;
    float *d_x, *d_bias, *d_sums, *d_out;
    cudaMalloc(&d_x, n * sizeof(float));
    cudaMalloc(&d_bias, cols * sizeof(float));
    cudaMalloc(&d_sums, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_x, x, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_bias, bias, cols * sizeof(float), cudaMemcpyHostToDevice);

    // TODO: compute the same in one launch, and load each element of the bias for several rows.
    add_bias<<<grid, BLOCK>>>(d_x, d_bias, d_sums, rows, cols);
    gelu<<<grid, BLOCK>>>(d_sums, d_out, n);

    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_sums);
    cudaFree(d_bias);
    cudaFree(d_x);
}
