// Tiles of 64 x 64 with 4 x 4 elements for each thread, and a tile of a that isn't transposed: a
// thread loads four products' factors of a row at once.

constexpr int TILE = 64;
constexpr int DEPTH = 16;
constexpr int THREADS = 256;

__global__ void multiply(const float* a, const float* b, float* c, int rows, int inner, int cols) {
    __shared__ float4 a_tile[TILE][DEPTH / 4];
    __shared__ float4 b_tile[DEPTH][TILE / 4];

    const int tx = threadIdx.x % 16;
    const int ty = threadIdx.x / 16;
    const float4 zero = make_float4(0.0f, 0.0f, 0.0f, 0.0f);

    float4 sums[4] = {zero, zero, zero, zero};
    for (int first = 0; first < inner; first += DEPTH) {
        const int row = blockIdx.y * TILE + threadIdx.x / 4, k = first + threadIdx.x % 4 * 4;
        a_tile[threadIdx.x / 4][threadIdx.x % 4] =
            row < rows && k < inner ? *(const float4*)&a[size_t(row) * inner + k] : zero;
        const int col = blockIdx.x * TILE + 4 * tx;
        b_tile[ty][tx] = first + ty < inner && col < cols
                             ? *(const float4*)&b[size_t(first + ty) * cols + col]
                             : zero;
        __syncthreads();

        for (int quad = 0; quad < DEPTH / 4; ++quad) {
            float4 own[4];
            for (int i = 0; i < 4; ++i) {
                own[i] = a_tile[ty + 16 * i][quad];
            }
            const float4 b0 = b_tile[4 * quad][tx], b1 = b_tile[4 * quad + 1][tx];
            const float4 b2 = b_tile[4 * quad + 2][tx], b3 = b_tile[4 * quad + 3][tx];
            for (int i = 0; i < 4; ++i) {
                sums[i].x += own[i].x * b0.x + own[i].y * b1.x + own[i].z * b2.x + own[i].w * b3.x;
                sums[i].y += own[i].x * b0.y + own[i].y * b1.y + own[i].z * b2.y + own[i].w * b3.y;
                sums[i].z += own[i].x * b0.z + own[i].y * b1.z + own[i].z * b2.z + own[i].w * b3.z;
                sums[i].w += own[i].x * b0.w + own[i].y * b1.w + own[i].z * b2.w + own[i].w * b3.w;
            }
        }
        __syncthreads();
    }

    const int col = blockIdx.x * TILE + 4 * tx;
    for (int i = 0; i < 4; ++i) {
        const int row = blockIdx.y * TILE + ty + 16 * i;
        if (row < rows && col < cols) {
            *(float4*)&c[size_t(row) * cols + col] = sums[i];
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
