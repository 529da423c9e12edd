// Loads the next tiles into registers while it computes, and has two buffers of each tile, so one
// barrier is enough for each of them.

constexpr int TILE = 128;
constexpr int DEPTH = 8;
constexpr int THREADS = 256;

__device__ float4 load4(const float* from, bool inside) {
    return inside ? *reinterpret_cast<const float4*>(from) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

__global__ void __launch_bounds__(THREADS)
    multiply(const float* a, const float* b, float* c, int rows, int inner, int cols) {
    __shared__ __align__(16) float a_tile[2][DEPTH][TILE + 4];
    __shared__ __align__(16) float b_tile[2][DEPTH][TILE];

    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const int a_row = threadIdx.x / 2, a_k = threadIdx.x % 2 * 4;
    const int b_k = threadIdx.x / 32, b_col = threadIdx.x % 32 * 4;
    const int row = blockIdx.y * TILE + a_row, col = blockIdx.x * TILE + b_col;

    float4 a_next = load4(a + size_t(row) * inner + a_k, row < rows && a_k < inner);
    float4 b_next = load4(b + size_t(b_k) * cols + col, b_k < inner && col < cols);
    float sums[8][8] = {};
    for (int first = 0, buffer = 0; first < inner; first += DEPTH, buffer ^= 1) {
        a_tile[buffer][a_k][a_row] = a_next.x;
        a_tile[buffer][a_k + 1][a_row] = a_next.y;
        a_tile[buffer][a_k + 2][a_row] = a_next.z;
        a_tile[buffer][a_k + 3][a_row] = a_next.w;
        *reinterpret_cast<float4*>(&b_tile[buffer][b_k][b_col]) = b_next;
        __syncthreads();

        const int next = first + DEPTH;
        a_next = load4(a + size_t(row) * inner + next + a_k, row < rows && next + a_k < inner);
        b_next = load4(b + size_t(next + b_k) * cols + col, next + b_k < inner && col < cols);

        for (int k = 0; k < DEPTH; ++k) {
            float4 left[2], right[2];
            for (int half = 0; half < 2; ++half) {
                left[half] = *reinterpret_cast<float4*>(&a_tile[buffer][k][64 * half + 4 * ty]);
                right[half] = *reinterpret_cast<float4*>(&b_tile[buffer][k][64 * half + 4 * tx]);
            }
            const float l[8] = {left[0].x, left[0].y, left[0].z, left[0].w,
                                left[1].x, left[1].y, left[1].z, left[1].w};
            const float r[8] = {right[0].x, right[0].y, right[0].z, right[0].w,
                                right[1].x, right[1].y, right[1].z, right[1].w};
            for (int i = 0; i < 8; ++i) {
                for (int j = 0; j < 8; ++j) {
                    sums[i][j] += l[i] * r[j];
                }
            }
        }
    }

    for (int i = 0; i < 8; ++i) {
        const int to = blockIdx.y * TILE + 64 * (i / 4) + 4 * ty + i % 4;
        for (int half = 0; half < 2; ++half) {
            const int at = blockIdx.x * TILE + 64 * half + 4 * tx;
            if (to < rows && at < cols) {
                *reinterpret_cast<float4*>(&c[size_t(to) * cols + at]) =
                    make_float4(sums[i][4 * half], sums[i][4 * half + 1], sums[i][4 * half + 2],
                                sums[i][4 * half + 3]);
            }
        }
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

    const dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    multiply<<<grid, THREADS>>>(d_a, d_b, d_c, rows, inner, cols);

    cudaMemcpy(c, d_c, c_bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_c);
    cudaFree(d_b);
    cudaFree(d_a);
}
