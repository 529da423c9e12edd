// The warps of a block need the same tile of b, so they load it into shared memory together. A warp
// without a tile of c takes part in this, and its rows are padded against bank conflicts.

#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

constexpr int TILE = 16, LINE = TILE + 8;

extern "C" __global__ void wmma_matmul(const __half* a, const __half* b, float* c, int rows,
                                       int inner, int cols) {
    __shared__ __align__(32) __half tile[TILE * LINE];
    const int thread = threadIdx.y * 32 + threadIdx.x;
    const int row = (blockIdx.y * 4 + threadIdx.y) * TILE, col = blockIdx.x * TILE;
    wmma::fragment<wmma::matrix_a, TILE, TILE, TILE, half, wmma::row_major> a_tile;
    wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, half, wmma::row_major> b_tile;
    wmma::fragment<wmma::accumulator, TILE, TILE, TILE, float> sums;
    wmma::fill_fragment(sums, 0.0f);
    for (int k = 0; k < inner; k += TILE) {
        __syncthreads();
        for (int i = thread; i < TILE * TILE; i += 128) {
            tile[i / TILE * LINE + i % TILE] = b[(k + i / TILE) * cols + col + i % TILE];
        }
        __syncthreads();
        if (row < rows) {
            wmma::load_matrix_sync(a_tile, a + row * inner + k, inner);
            wmma::load_matrix_sync(b_tile, tile, LINE);
            wmma::mma_sync(sums, a_tile, b_tile, sums);
        }
    }
    if (row < rows) {
        wmma::store_matrix_sync(c + row * cols + col, sums, cols, wmma::mem_row_major);
    }
}
