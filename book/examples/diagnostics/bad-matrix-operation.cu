#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

__global__ void row_sums(const half* in, float* out) {
    __shared__ __align__(32) half tile[16][17];  // one more half for each row
    for (int i = threadIdx.x; i < 256; i += 32) {
        tile[i / 16][i % 16] = in[i];
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(b, __float2half(1.0f));
    wmma::fill_fragment(sum, 0.0f);
    wmma::load_matrix_sync(a, &tile[0][0], 17);
    wmma::mma_sync(sum, a, b, sum);
    wmma::store_matrix_sync(out, sum, 16, wmma::mem_row_major);
}

int main() {
    half* in;
    float* out;
    cudaMalloc(&in, 256 * sizeof(half));
    cudaMalloc(&out, 256 * sizeof(float));
    cudaMemset(in, 0, 256 * sizeof(half));
    row_sums<<<1, 32>>>(in, out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
