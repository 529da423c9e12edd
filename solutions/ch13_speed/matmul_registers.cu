// A thread computes 8 x 8 elements of c. For each k, it loads 8 floats of a and 8 floats of b into
// registers and uses them for 64 products, so each load of four floats serves 16 products. The
// tile of a is transposed, so that the 8 floats of a column lie side by side. Each thread has two
// times four rows and two times four columns, 64 apart, so that neighbouring threads load
// neighbouring groups of four floats, which are in different banks. The compiler unrolls the loops
// that fill the tiles, so that all of their loads are in flight before the first store needs one.

constexpr int TILE = 128;     // rows and columns of c that a block computes
constexpr int DEPTH = 16;     // columns of a and rows of b in a tile
constexpr int THREADS = 256;  // threads of a block, 16 x 16
constexpr int OWN = 8;        // rows and columns of c that a thread computes
constexpr int PAD = 4;        // spreads the stores of a transposed column over the banks

__device__ float4 load4(const float* from, bool inside) {
    return inside ? *reinterpret_cast<const float4*>(from) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

__global__ void __launch_bounds__(THREADS)
    multiply(const float* a, const float* b, float* c, int rows, int inner, int cols) {
    __shared__ __align__(16) float a_tile[DEPTH][TILE + PAD];  // transposed
    __shared__ __align__(16) float b_tile[DEPTH][TILE];

    const int tx = threadIdx.x % 16;
    const int ty = threadIdx.x / 16;
    const int first_row = blockIdx.y * TILE;
    const int first_col = blockIdx.x * TILE;

    float sums[OWN][OWN] = {};
    for (int first = 0; first < inner; first += DEPTH) {
#pragma unroll
        for (int n = 0; n < TILE * DEPTH / 4; n += THREADS) {
            const int i = n + threadIdx.x;
            const int row = i / (DEPTH / 4);  // row in the tile of a
            const int k = i % (DEPTH / 4) * 4;
            const float4 four = load4(a + size_t(first_row + row) * inner + first + k,
                                      first_row + row < rows && first + k < inner);
            a_tile[k][row] = four.x;
            a_tile[k + 1][row] = four.y;
            a_tile[k + 2][row] = four.z;
            a_tile[k + 3][row] = four.w;
        }
#pragma unroll
        for (int n = 0; n < TILE * DEPTH / 4; n += THREADS) {
            const int i = n + threadIdx.x;
            const int k = i / (TILE / 4);
            const int col = i % (TILE / 4) * 4;  // column in the tile of b
            *reinterpret_cast<float4*>(&b_tile[k][col]) =
                load4(b + size_t(first + k) * cols + first_col + col,
                      first + k < inner && first_col + col < cols);
        }
        __syncthreads();  // both tiles are complete

        for (int k = 0; k < DEPTH; ++k) {
            float a_own[OWN], b_own[OWN];
            for (int half = 0; half < 2; ++half) {
                const float4 four = *reinterpret_cast<float4*>(&a_tile[k][64 * half + 4 * ty]);
                a_own[4 * half] = four.x, a_own[4 * half + 1] = four.y;
                a_own[4 * half + 2] = four.z, a_own[4 * half + 3] = four.w;
            }
            for (int half = 0; half < 2; ++half) {
                const float4 four = *reinterpret_cast<float4*>(&b_tile[k][64 * half + 4 * tx]);
                b_own[4 * half] = four.x, b_own[4 * half + 1] = four.y;
                b_own[4 * half + 2] = four.z, b_own[4 * half + 3] = four.w;
            }
            for (int i = 0; i < OWN; ++i) {
                for (int j = 0; j < OWN; ++j) {
                    sums[i][j] += a_own[i] * b_own[j];
                }
            }
        }
        __syncthreads();  // every thread has used both tiles
    }

    for (int i = 0; i < OWN; ++i) {
        const int row = first_row + i / 4 * 64 + 4 * ty + i % 4;
        for (int half = 0; half < 2; ++half) {
            const int col = first_col + 64 * half + 4 * tx;
            if (row < rows && col < cols) {
                *reinterpret_cast<float4*>(c + size_t(row) * cols + col) =
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
