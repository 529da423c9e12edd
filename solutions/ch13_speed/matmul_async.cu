// A block has two tiles of each matrix in shared memory. While it computes with one pair, the
// copies of the next pair are in flight. The barrier after the wait makes the copies of all threads
// visible, and it ensures that every thread has used the previous pair, whose place the next
// copies take. So one barrier for each pair is enough. A copy of 16 bytes can't transpose, so a
// thread loads four neighbouring factors of a row of a instead.

#include <cuda_pipeline.h>

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
#pragma unroll 2  // if the whole loop is unrolled, the kernel is slower
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

// Begins the copies of the tiles of a and b that begin at column or row `first`, as one group.
__device__ void begin_copies(Tiles& tiles, const float* a, const float* b, int first, int rows,
                             int inner, int cols) {
    if (first < inner) {
#pragma unroll
        for (int n = 0; n < TILE * DEPTH / 4; n += THREADS) {
            const int i = n + threadIdx.x;
            const int row = i / (DEPTH / 4);
            const int k = i % (DEPTH / 4) * 4;
            const int a_row = blockIdx.y * TILE + row;
            __pipeline_memcpy_async(&tiles.a[row][k], a + size_t(a_row) * inner + first + k, 16,
                                    a_row < rows && first + k < inner ? 0 : 16);
            const int b_k = i / (TILE / 4);
            const int col = i % (TILE / 4) * 4;
            const int b_col = blockIdx.x * TILE + col;
            __pipeline_memcpy_async(&tiles.b[b_k][col], b + size_t(first + b_k) * cols + b_col, 16,
                                    first + b_k < inner && b_col < cols ? 0 : 16);
        }
    }
    __pipeline_commit();
}

extern "C" __global__ void __launch_bounds__(THREADS)
    matmul_async(const float* a, const float* b, float* c, int rows, int inner, int cols) {
    __shared__ __align__(16) Tiles tiles[2];

    float sums[OWN][OWN] = {};
    begin_copies(tiles[0], a, b, 0, rows, inner, cols);
    int now = 0;
    for (int first = 0; first < inner; first += DEPTH) {
        __pipeline_wait_prior(0);  // this thread's copies are complete
        __syncthreads();           // the copies of all other threads are complete, too

        begin_copies(tiles[now ^ 1], a, b, first + DEPTH, rows, inner, cols);
        add_products(tiles[now], sums);
        now ^= 1;
    }
    store_sums(c, rows, cols, sums);
}
