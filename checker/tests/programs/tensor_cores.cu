// Products of 64x64 matrices on tensor cores, of halves and of bytes, compared with the host's.
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <mma.h>
#include <vector>

using namespace nvcuda;

const int N = 64;

void check(cudaError_t status) {
    if (status != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(status));
        exit(1);
    }
}

// A block has four warps and computes 32x32 sums. It loads tiles of both matrices into shared
// memory, whose rows are padded by 8 halves, so that they begin in different banks.
__global__ void halves(const half* a, const half* b, float* c) {
    __shared__ __align__(32) half tile_a[32][16 + 8];
    __shared__ __align__(32) half tile_b[16][32 + 8];
    const int warp = threadIdx.x / 32, row = warp / 2 * 16, column = warp % 2 * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < N; k += 16) {
        for (int i = threadIdx.x; i < 32 * 16; i += blockDim.x) {
            tile_a[i / 16][i % 16] = a[(blockIdx.y * 32 + i / 16) * N + k + i % 16];
            tile_b[i / 32][i % 32] = b[(k + i / 32) * N + blockIdx.x * 32 + i % 32];
        }
        __syncthreads();
        wmma::load_matrix_sync(fa, &tile_a[row][0], 24);
        wmma::load_matrix_sync(fb, &tile_b[0][column], 40);
        wmma::mma_sync(sum, fa, fb, sum);
        __syncthreads();
    }
    float* to = c + (blockIdx.y * 32 + row) * N + blockIdx.x * 32 + column;
    wmma::store_matrix_sync(to, sum, N, wmma::mem_row_major);
}

// A warp computes 16x16 sums. The second matrix is stored by columns.
__global__ void bytes(const signed char* a, const signed char* b, int* c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
    wmma::fill_fragment(sum, 0);
    for (int k = 0; k < N; k += 16) {
        wmma::load_matrix_sync(fa, a + blockIdx.y * 16 * N + k, N);
        wmma::load_matrix_sync(fb, b + blockIdx.x * 16 * N + k, N);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    wmma::store_matrix_sync(c + blockIdx.y * 16 * N + blockIdx.x * 16, sum, N, wmma::mem_row_major);
}

template <class T>
T* to_device(const std::vector<T>& v) {
    T* p;
    check(cudaMalloc(&p, v.size() * sizeof(T)));
    check(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

template <class T, class S>
void compare(const char* name, S* device, const std::vector<T>& a, const std::vector<T>& b,
             bool by_columns) {
    std::vector<S> c(N * N);
    check(cudaMemcpy(c.data(), device, N * N * sizeof(S), cudaMemcpyDeviceToHost));
    int wrong = 0;
    double sum = 0;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            // the numbers are multiples of 1/8, so that these sums are exact
            double expected = 0;
            for (int k = 0; k < N; k++) {
                const int at = by_columns ? j * N + k : k * N + j;
                expected += (double)(float)a[i * N + k] * (double)(float)b[at];
            }
            wrong += expected != (double)c[i * N + j];
            sum += c[i * N + j];
        }
    }
    printf("%s: %d wrong, the sum is %.3f\n", name, wrong, sum);
}

int main() {
    std::vector<half> ha(N * N), hb(N * N);
    std::vector<signed char> a_bytes(N * N), b_bytes(N * N);
    for (int i = 0; i < N * N; i++) {
        ha[i] = __float2half((i * 7 % 33 - 16) / 8.0f);
        hb[i] = __float2half((i * 5 % 29 - 14) / 8.0f);
        a_bytes[i] = (signed char)(i * 37 % 256);
        b_bytes[i] = (signed char)(i * 91 % 251 - 128);
    }
    half *da = to_device(ha), *db = to_device(hb);
    signed char *ea = to_device(a_bytes), *eb = to_device(b_bytes);
    float* c;
    int* d;
    check(cudaMalloc(&c, N * N * sizeof(float)));
    check(cudaMalloc(&d, N * N * sizeof(int)));
    halves<<<dim3(2, 2), 128>>>(da, db, c);
    check(cudaGetLastError());
    bytes<<<dim3(4, 4), 32>>>(ea, eb, d);
    check(cudaGetLastError());
    compare("halves", c, ha, hb, false);
    compare("bytes", d, a_bytes, b_bytes, true);
    check(cudaFree(da));
    check(cudaFree(db));
    check(cudaFree(ea));
    check(cudaFree(eb));
    check(cudaFree(c));
    check(cudaFree(d));
}
