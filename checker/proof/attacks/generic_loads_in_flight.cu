// attack: loads from shared memory with generic addresses, which look like loads in flight
// exercise: matmul_async
// expect: gate-missed
// stopped-by: the work during loads: only loads that reach global memory count

constexpr int TILE = 128;     // rows and columns of c that a block computes
constexpr int DEPTH = 16;     // columns of a and rows of b in a tile
constexpr int THREADS = 256;  // threads of a block, 16 x 16
constexpr int OWN = 8;        // rows and columns of c that a thread computes

struct Tiles {
    float a[TILE][DEPTH];
    float b[DEPTH][TILE];
};

// Adds the products of two tiles to the thread's sums. Its rows are ty, ty + 16, ..., and its
// columns are 4 * tx to 4 * tx + 3, and the same columns plus 64.
__device__ void add_products(const Tiles& tiles, float (&sums)[OWN][OWN]) {
    const int tx = threadIdx.x % 16;
    const int ty = threadIdx.x / 16;
    for (int k = 0; k < DEPTH; k += 4) {
        float a_own[OWN][4];
        for (int i = 0; i < OWN; ++i) {
            const float4 four = *reinterpret_cast<const float4*>(&tiles.a[ty + 16 * i][k]);
            a_own[i][0] = four.x, a_own[i][1] = four.y, a_own[i][2] = four.z, a_own[i][3] = four.w;
        }
        for (int l = 0; l < 4; ++l) {
            float b_own[OWN];
            for (int half = 0; half < 2; ++half) {
                const float4 four =
                    *reinterpret_cast<const float4*>(&tiles.b[k + l][64 * half + 4 * tx]);
                b_own[4 * half] = four.x, b_own[4 * half + 1] = four.y;
                b_own[4 * half + 2] = four.z, b_own[4 * half + 3] = four.w;
            }
            for (int i = 0; i < OWN; ++i) {
                for (int j = 0; j < OWN; ++j) {
                    sums[i][j] += a_own[i][l] * b_own[j];
                }
            }
        }
    }
}

__device__ void store_sums(float* c, int rows, int cols, const float (&sums)[OWN][OWN]) {
    const int tx = threadIdx.x % 16;
    const int ty = threadIdx.x / 16;
    for (int i = 0; i < OWN; ++i) {
        const int row = blockIdx.y * TILE + ty + 16 * i;
        for (int half = 0; half < 2; ++half) {
            const int col = blockIdx.x * TILE + 64 * half + 4 * tx;
            if (row < rows && col < cols) {
                *reinterpret_cast<float4*>(c + size_t(row) * cols + col) =
                    make_float4(sums[i][4 * half], sums[i][4 * half + 1], sums[i][4 * half + 2],
                                sums[i][4 * half + 3]);
            }
        }
    }
}


extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_async(const float* a, const float* b, float* c, int rows, int inner, int cols) {
    __shared__ __align__(16) Tiles tiles;
    float sums[OWN][OWN] = {};
    __shared__ float pad; if (threadIdx.x == 0) pad = 0.0f; __syncthreads();
    const float* generic = &pad;   // a generic address of shared memory: awaited like a global load, but no traffic
    float j0 = 0, j1 = 0, j2 = 0, j3 = 0, j4 = 0, j5 = 0, j6 = 0;
    for (int first = 0; first < inner; first += DEPTH) {
#define JUNK(x) asm volatile("ld.f32 %0, [%1];" : "=f"(x) : "l"(generic))
        JUNK(j0); JUNK(j1); JUNK(j2); JUNK(j3); JUNK(j4); JUNK(j5); JUNK(j6);
#pragma unroll
        for (int n = 0; n < TILE * DEPTH / 4; n += THREADS) {
            const int i = n + threadIdx.x;
            const int row = i / (DEPTH / 4), k = i % (DEPTH / 4) * 4, a_row = blockIdx.y * TILE + row;
            float4 z = make_float4(0, 0, 0, 0);
            *reinterpret_cast<float4*>(&tiles.a[row][k]) = a_row < rows && first + k < inner ? *reinterpret_cast<const float4*>(a + size_t(a_row) * inner + first + k) : z;
            const int b_k = i / (TILE / 4), col = i % (TILE / 4) * 4, b_col = blockIdx.x * TILE + col;
            *reinterpret_cast<float4*>(&tiles.b[b_k][col]) = first + b_k < inner && b_col < cols ? *reinterpret_cast<const float4*>(b + size_t(first + b_k) * cols + b_col) : z;
        }
        __syncthreads();
        add_products(tiles, sums);
        __syncthreads();
        if (j0 == 1.2345e37f || j1 == 1.2345e37f || j2 == 1.2345e37f || j3 == 1.2345e37f || j4 == 1.2345e37f || j5 == 1.2345e37f || j6 == 1.2345e37f) inner = 0;
    }
    store_sums(c, rows, cols, sums);
}
