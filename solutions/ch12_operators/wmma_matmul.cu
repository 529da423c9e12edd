// wmma_matmul | chapter 12 | "A warp multiplies tiles"
//
// Goal    c = a * b (matrix product) on tensor cores.
//
// a       [rows][inner]  __half, read only
// b       [inner][cols]  __half, read only
// c       [rows][cols]   f32, every element must be written
// rows, inner, cols      counts, multiples of 16
// launch  blocks of 32 x 4 threads, which are four warps; a warp computes a tile of 16 x 16
//         elements of c
//
// Run     cargo checker check wmma_matmul      Stuck?  cargo checker hint wmma_matmul

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
