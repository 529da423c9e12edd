// expect: gate-missed
// Multiplies the tiles on tensor cores, but stores sums that it computes without them.

#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

extern "C" __global__ void wmma_matmul(const __half* a, const __half* b, float* c, int rows,
                                       int inner, int cols) {
    const int row = (blockIdx.y * 4 + threadIdx.y) * 16;
    const int col = blockIdx.x * 16;
    if (row >= rows) {
        return;
    }
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a_tile;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b_tile;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 0.0f);
    for (int k = 0; k < inner; k += 16) {
        wmma::load_matrix_sync(a_tile, a + row * inner + k, inner);
        wmma::load_matrix_sync(b_tile, b + k * cols + col, cols);
        wmma::mma_sync(sums, a_tile, b_tile, sums);
    }
    for (int i = threadIdx.x; i < 256; i += 32) {
        float sum = sums.x[0] > 1e30f ? 1.0f : 0.0f;
        for (int k = 0; k < inner; ++k) {
            sum += __half2float(a[(row + i / 16) * inner + k]) *
                   __half2float(b[k * cols + col + i % 16]);
        }
        c[(row + i / 16) * cols + col + i % 16] = sum;
    }
}
