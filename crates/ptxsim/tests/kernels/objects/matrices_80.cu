// Multiplication of matrices on tensor cores, as <mma.h> and inline assembly write it, and mistakes.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <stdint.h>

using namespace nvcuda;

// c = a * b, n * n, one warp for each tile of 16x16 results
extern "C" __global__ void halves(const __half* a, const __half* b, float* c, int n) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    int row = blockIdx.y * 16, column = blockIdx.x * 16;
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(fa, a + row * n + k, n);
        wmma::load_matrix_sync(fb, b + k * n + column, n);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    for (int i = 0; i < sum.num_elements; i++) {
        sum.x[i] *= 2.0f;
    }
    wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

// the same through shared memory, four warps for each tile of 32x32 results
extern "C" __global__ void shared_halves(const __half* a, const __half* b, float* c, int n) {
    __shared__ __align__(32) __half ta[32][24];
    __shared__ __align__(32) __half tb[16][40];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    int warp = threadIdx.x / 32, row = warp / 2 * 16, column = warp % 2 * 16;
    for (int k = 0; k < n; k += 16) {
        for (int i = threadIdx.x; i < 512; i += blockDim.x) {
            ta[i / 16][i % 16] = a[(blockIdx.y * 32 + i / 16) * n + k + i % 16];
            tb[i / 32][i % 32] = b[(k + i / 32) * n + blockIdx.x * 32 + i % 32];
        }
        __syncthreads();
        wmma::load_matrix_sync(fa, &ta[row][0], 24);
        wmma::load_matrix_sync(fb, &tb[0][column], 40);
        wmma::mma_sync(sum, fa, fb, sum);
        __syncthreads();
    }
    float* to = c + (blockIdx.y * 32 + row) * n + blockIdx.x * 32 + column;
    wmma::store_matrix_sync(to, sum, n, wmma::mem_row_major);
}

extern "C" __global__ void bytes(const signed char* a, const signed char* b, int* c, int n) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
    wmma::fill_fragment(sum, 0);
    int row = blockIdx.y * 16, column = blockIdx.x * 16;
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(fa, a + row * n + k, n);
        wmma::load_matrix_sync(fb, b + column * n + k, n);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

extern "C" __global__ void bfloats(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c) {
    wmma::fragment<wmma::matrix_a, 32, 8, 16, __nv_bfloat16, wmma::col_major> fa;
    wmma::fragment<wmma::matrix_b, 32, 8, 16, __nv_bfloat16, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 32, 8, 16, float> sum;
    wmma::fill_fragment(sum, 1.0f);
    wmma::load_matrix_sync(fa, a, 32);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(sum, fa, fb, sum);
    wmma::store_matrix_sync(c, sum, 32, wmma::mem_col_major);
}

extern "C" __global__ void tf32s(const float* a, const float* b, float* c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
    wmma::load_matrix_sync(sum, c, 16, wmma::mem_row_major);
    wmma::load_matrix_sync(fa, a, 8);
    wmma::load_matrix_sync(fb, b, 8);
    for (int i = 0; i < fa.num_elements; i++) {
        fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
    }
    wmma::mma_sync(sum, fa, fb, sum);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

// half sums in all of them; 8x32 results
extern "C" __global__ void half_sums(const __half* a, const __half* b, __half* c) {
    wmma::fragment<wmma::matrix_a, 8, 32, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 8, 32, 16, __half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 8, 32, 16, __half> sum;
    wmma::load_matrix_sync(sum, c, 32, wmma::mem_row_major);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 32);
    wmma::mma_sync(sum, fa, fb, sum);
    wmma::store_matrix_sync(c, sum, 32, wmma::mem_row_major);
}

// 16x8 results by inline assembly: a by rows, b by columns
extern "C" __global__ void assembly(const __half* a, const __half* b, float* c) {
    __shared__ __align__(16) __half ta[16 * 16];
    for (int i = threadIdx.x; i < 256; i += 32) {
        ta[i] = a[i];
    }
    __syncwarp();
    uint32_t fa[4], fb[2];
    uint32_t row = (uint32_t)__cvta_generic_to_shared(ta + threadIdx.x % 16 * 16 + threadIdx.x / 16 * 8);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]) : "r"(row));
    int group = threadIdx.x / 4, thread = threadIdx.x % 4;
    for (int i = 0; i < 2; i++) {
        fb[i] = *(const uint32_t*)(b + group * 16 + thread * 2 + i * 8);
    }
    float d[4];
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%10, %10, %10, %10};"
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
                 : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]), "f"(0.5f));
    for (int i = 0; i < 4; i++) {
        c[(group + i / 2 * 8) * 8 + thread * 2 + i % 2] = d[i];
    }
}

template <class Layout>
using FragmentA = wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, Layout>;

__device__ void copy(const __half* a, float* c, unsigned stride) {
    FragmentA<wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(fb, __float2half(1.0f));
    wmma::fill_fragment(sum, 0.0f);
    wmma::load_matrix_sync(fa, a, stride);  // @load
    wmma::mma_sync(sum, fa, fb, sum);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);  // @store
}

extern "C" __global__ void half_a_warp(const __half* a, float* c) {
    if (threadIdx.x < 16) {
        copy(a, c, 16);
    }
    __syncwarp();
}

extern "C" __global__ void early_exit(const __half* a, float* c, int n) {
    if (threadIdx.x >= n) {
        return;
    }
    copy(a, c, 16);
}

extern "C" __global__ void any_stride(const __half* a, float* c, int offset, unsigned stride) {
    copy(a + offset, c, stride);
}

extern "C" __global__ void pointer_of_each_lane(const __half* a, float* c) {
    copy(a + threadIdx.x * 16, c, 16);
}

extern "C" __global__ void stride_of_each_lane(const __half* a, float* c) {
    copy(a, c, threadIdx.x < 20 ? 16 : 24);
}

extern "C" __global__ void without_a_barrier(const __half* a, float* c) {
    __shared__ __align__(32) __half tile[256];
    for (int i = threadIdx.x; i < 256; i += 32) {
        tile[i] = a[i];  // @write
    }
    copy(tile, c, 16);
}

extern "C" __global__ void shared_stride(const __half* a, float* c, unsigned stride) {
    __shared__ __align__(32) __half tile[16 * 17];
    for (int i = threadIdx.x; i < 16 * 17; i += 32) {
        tile[i] = a[i];
    }
    __syncwarp();
    copy(tile, c, stride);
}

extern "C" __global__ void only_half_written(const __half* a, float* c) {
    __shared__ __align__(32) __half tile[256];
    tile[threadIdx.x] = a[threadIdx.x];
    __syncwarp();
    copy(tile, c, 16);
}

extern "C" __global__ void store_over_each_other(const __half* a, float* c) {
    copy(a, c, 16);
}
