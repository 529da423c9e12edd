// A warp multiplies tiles of 16 x 16 halves, which are spread over the registers of its lanes, and
// adds their products to its tile of sums. All lanes of a warp have the same tile, so either all of
// them return early, or none of them does.

#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

constexpr int TILE = 16;  // elements along each side of a tile

extern "C" __global__ void wmma_matmul(const __half* a, const __half* b, float* c, int rows,
                                       int inner, int cols) {
    const int row = (blockIdx.y * 4 + threadIdx.y) * TILE;  // first row of this warp's tile of c
    const int col = blockIdx.x * TILE;                      // its first column

    if (row >= rows) {
        return;
    }

    wmma::fragment<wmma::matrix_a, TILE, TILE, TILE, __half, wmma::row_major> a_tile;
    wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, __half, wmma::row_major> b_tile;
    wmma::fragment<wmma::accumulator, TILE, TILE, TILE, float> sums;
    wmma::fill_fragment(sums, 0.0f);

    for (int k = 0; k < inner; k += TILE) {
        wmma::load_matrix_sync(a_tile, a + row * inner + k, inner);
        wmma::load_matrix_sync(b_tile, b + k * cols + col, cols);
        wmma::mma_sync(sums, a_tile, b_tile, sums);
    }

    wmma::store_matrix_sync(c + row * cols + col, sums, cols, wmma::mem_row_major);
}
