// matmul_async | chapter 13 | "Two tiles at a time"
//
// Goal    compute c = a * b (matrix product), with at least 800 instructions of a warp between a
//         load and the wait for it.
//
// a       [rows][inner]  f32, read only
// b       [inner][cols]  f32, read only
// c       [rows][cols]   f32, every element written once
// rows, inner, cols      counts, at least 1; inner and cols are multiples of 4
// launch  blocks of THREADS threads, one for each TILE x TILE elements of c
//
// This kernel keeps 8 x 8 results of each thread in registers. A multiprocessor of an H100 has room
// for only one of these blocks, so it is idle while the block waits for its tiles.
//
// Run     cargo checker check matmul_async     Stuck?  cargo checker hint matmul_async

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

__device__ float4 load4(const float* from, bool inside) {
    return inside ? *reinterpret_cast<const float4*>(from) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

// Loads the tiles of a and b that begin at column or row `first`.
__device__ void load_tiles(Tiles& tiles, const float* a, const float* b, int first, int rows,
                           int inner, int cols) {
    for (int i = threadIdx.x; i < TILE * DEPTH / 4; i += THREADS) {
        const int row = i / (DEPTH / 4);
        const int k = i % (DEPTH / 4) * 4;
        const int a_row = blockIdx.y * TILE + row;
        *reinterpret_cast<float4*>(&tiles.a[row][k]) =
            load4(a + size_t(a_row) * inner + first + k, a_row < rows && first + k < inner);
    }
    for (int i = threadIdx.x; i < TILE * DEPTH / 4; i += THREADS) {
        const int k = i / (TILE / 4);
        const int col = i % (TILE / 4) * 4;
        const int b_col = blockIdx.x * TILE + col;
        *reinterpret_cast<float4*>(&tiles.b[k][col]) =
            load4(b + size_t(first + k) * cols + b_col, first + k < inner && b_col < cols);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_async(const float* a, const float* b, float* c, int rows, int inner, int cols) {
    __shared__ __align__(16) Tiles tiles;

    // TODO: copy the next tiles to shared memory while the block computes with these.
    float sums[OWN][OWN] = {};
    for (int first = 0; first < inner; first += DEPTH) {
        load_tiles(tiles, a, b, first, rows, inner, cols);
        __syncthreads();  // both tiles are complete

        add_products(tiles, sums);
        __syncthreads();  // every thread has used both tiles
    }
    store_sums(c, rows, cols, sums);
}
