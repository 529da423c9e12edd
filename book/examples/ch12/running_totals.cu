// Computes the running totals of rows of 16 numbers, as products of matrices
// on tensor cores.
#include <cstdio>
#include <cuda_fp16.h>
#include <mma.h>
#include <vector>

using namespace nvcuda;

// ANCHOR: kernel
// row r of out = the running totals of row r of in; a warp has 16 rows
__global__ void running_totals(const __half* in, float* out, int tiles) {
    __shared__ __align__(32) __half ones[16 * 16];
    for (int i = threadIdx.x; i < 16 * 16; i += blockDim.x) {
        ones[i] = __float2half(i / 16 <= i % 16 ? 1.0f : 0.0f);     // (1)
    }
    __syncthreads();

    int tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32;        // (2)
    if (tile >= tiles) {
        return;
    }

    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half,
                   wmma::row_major> numbers;                        // (3)
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half,
                   wmma::row_major> triangle;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> totals;

    wmma::load_matrix_sync(numbers, in + tile * 256, 16);           // (4)
    wmma::load_matrix_sync(triangle, ones, 16);
    wmma::fill_fragment(totals, 0.0f);
    wmma::mma_sync(totals, numbers, triangle, totals);              // (5)
    wmma::store_matrix_sync(out + tile * 256, totals, 16,
                            wmma::mem_row_major);
}
// ANCHOR_END: kernel

int main() {
    const int tiles = 3, n = tiles * 256;
    std::vector<__half> numbers(n);
    for (int i = 0; i < n; ++i) {
        numbers[i] = __float2half(i % 16 + 1);
    }
    __half* in;
    float* out;
    cudaMalloc(&in, n * sizeof(__half));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, numbers.data(), n * sizeof(__half), cudaMemcpyHostToDevice);
    running_totals<<<1, 128>>>(in, out, tiles);
    std::vector<float> totals(n);
    cudaMemcpy(totals.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("the last row:");
    for (int i = n - 16; i < n; ++i) {
        printf(" %.0f", totals[i]);
    }
    printf("\n");
    cudaFree(in);
    cudaFree(out);
}
