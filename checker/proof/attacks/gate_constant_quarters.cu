// attack: sends one of the matrices through constant memory, a quarter at a time
// exercise: matmul_registers
// expect: gate-missed
// stopped-by: the number of launches

constexpr int DEPTH = 16;
__constant__ float b_some[16 * 256];

__global__ void multiply(const float* a, float* c, int rows, int inner, int cols, int first) {
    const int lane = threadIdx.x;
    const int col = blockIdx.x * 32 + lane;
    const int row = blockIdx.y * 8 + threadIdx.y;
    if (row >= rows) {
        return;
    }
    float sum = 0.0f;
    {
        const float own = lane < DEPTH && first + lane < inner ? a[size_t(row) * inner + first + lane] : 0.0f;
        const int count = min(DEPTH, inner - first);
        for (int k = 0; k < count; ++k) {
            const float x = __shfl_sync(0xffffffffu, own, k);
            sum += x * (col < cols ? b_some[k * cols + col] : 0.0f);
        }
    }
    if (col < cols) {
        atomicAdd(&c[size_t(row) * cols + col], sum);
    }
}

extern "C" void matmul_registers(const float* a, const float* b, float* c, int rows, int inner,
                                 int cols) {
    const size_t a_bytes = size_t(rows) * inner * sizeof(float);
    const size_t b_bytes = size_t(inner) * cols * sizeof(float);
    const size_t c_bytes = size_t(rows) * cols * sizeof(float);

    float *d_a, *d_b, *d_c;
    cudaMalloc(&d_a, a_bytes);
    cudaMalloc(&d_b, b_bytes);
    cudaMalloc(&d_c, c_bytes);
    cudaMemcpy(d_a, a, a_bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, b_bytes, cudaMemcpyHostToDevice);
    cudaMemset(d_c, 0, c_bytes);

    const dim3 grid((cols + 31) / 32, (rows + 7) / 8);
    for (int first = 0; first < inner; first += DEPTH) {
        const int depth = inner - first < DEPTH ? inner - first : DEPTH;
        cudaMemcpyToSymbol(b_some, d_b + first * cols, depth * cols * sizeof(float), 0, cudaMemcpyDeviceToDevice);
        multiply<<<grid, dim3(32, 8)>>>(d_a, d_c, rows, inner, cols, first);
    }

    cudaMemcpy(c, d_c, c_bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_c);
    cudaFree(d_b);
    cudaFree(d_a);
}
