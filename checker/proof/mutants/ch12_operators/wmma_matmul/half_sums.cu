// expect: wrong-values
// Adds up the products in half precision, which rounds every sum to 11 bits.

#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

extern "C" __global__ void wmma_matmul(const __half* a, const __half* b, float* c, int rows,
                                       int inner, int cols) {
    __shared__ __align__(32) __half tiles[4][16 * 16];
    const int row = (blockIdx.y * 4 + threadIdx.y) * 16;
    const int col = blockIdx.x * 16;
    if (row >= rows) {
        return;
    }
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a_tile;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b_tile;
    wmma::fragment<wmma::accumulator, 16, 16, 16, __half> sums;
    wmma::fill_fragment(sums, __float2half(0.0f));
    for (int k = 0; k < inner; k += 16) {
        wmma::load_matrix_sync(a_tile, a + row * inner + k, inner);
        wmma::load_matrix_sync(b_tile, b + k * cols + col, cols);
        wmma::mma_sync(sums, a_tile, b_tile, sums);
    }
    __half* tile = tiles[threadIdx.y];
    wmma::store_matrix_sync(tile, sums, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x; i < 256; i += 32) {
        c[(row + i / 16) * cols + col + i % 16] = __half2float(tile[i]);
    }
}
