// attack: stores the sums and loads them again, with loads of four floats
// exercise: gelu_bias
// expect: gate-missed
// stopped-by: loads of threads, of which one of 16 bytes counts as four

constexpr int BLOCK = 256;

// Two operators one after the other: the first stores its results in global memory, and the second
// loads them again.
__global__ void both(const float* x, const float* bias, float* out, int rows, int cols) {
    const int me = blockIdx.x * blockDim.x + threadIdx.x;
    const int n = rows * cols;
    if (cols % 4 == 0) {
        const int first = 4 * me;
        if (first < n) {
            const float4 v = *reinterpret_cast<const float4*>(x + first);
            const float4 b = *reinterpret_cast<const float4*>(bias + first % cols);
            *reinterpret_cast<float4*>(out + first) = make_float4(v.x + b.x, v.y + b.y, v.z + b.z, v.w + b.w);
        }
        __syncthreads();  // the first operator is finished
        if (first < n) {
            float v[4];
            const float4 four = *reinterpret_cast<const float4*>(out + first);
            v[0] = four.x, v[1] = four.y, v[2] = four.z, v[3] = four.w;
            for (int k = 0; k < 4; ++k) {
                v[k] = 0.5f * v[k] * (1.0f + erff(v[k] * 0.70710678f));
            }
            *reinterpret_cast<float4*>(out + first) = make_float4(v[0], v[1], v[2], v[3]);
        }
    } else {
        for (int idx = 4 * me; idx < min(n, 4 * me + 4); ++idx) {
            const float v = x[idx] + bias[idx % cols];
            out[idx] = 0.5f * v * (1.0f + erff(v * 0.70710678f));
        }
    }
}

extern "C" void gelu_bias(const float* x, const float* bias, float* out, int rows, int cols) {
    const int n = rows * cols;
    const int grid = (n + 4 * BLOCK - 1) / (4 * BLOCK);
    float *d_x, *d_bias, *d_out;
    cudaMalloc(&d_x, n * sizeof(float));
    cudaMalloc(&d_bias, cols * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_x, x, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_bias, bias, cols * sizeof(float), cudaMemcpyHostToDevice);

    // TODO: compute the same in one launch, and load each element of the bias for several rows.
    both<<<grid, BLOCK>>>(d_x, d_bias, d_out, rows, cols);

    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_bias);
    cudaFree(d_x);
}
