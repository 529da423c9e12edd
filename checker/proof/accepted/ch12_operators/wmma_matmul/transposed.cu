// Computes the transpose of c as the product of the transposes of b and a. An array by rows is its
// transpose by columns, so only the layouts of the fragments change.

#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

extern "C" __global__ void wmma_matmul(const __half* a, const __half* b, float* c, int rows,
                                       int inner, int cols) {
    const int row = (blockIdx.y * blockDim.y + threadIdx.y) * 16, col = blockIdx.x * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::col_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    if (row < rows) {
        wmma::fill_fragment(sums, 0.0f);
        for (int tile = 0; tile < inner / 16; ++tile) {
            wmma::load_matrix_sync(left, &b[16 * tile * cols + col], cols);
            wmma::load_matrix_sync(right, &a[row * inner + 16 * tile], inner);
            wmma::mma_sync(sums, left, right, sums);
        }
        wmma::store_matrix_sync(&c[row * cols + col], sums, cols, wmma::mem_col_major);
    }
}
