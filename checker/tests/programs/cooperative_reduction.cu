// A sum over the whole grid in one launch: blocks store their sums, synchronise, and the first block adds them. The launch
// uses cudaLaunchKernelEx.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                     \
    do {                                                                                \
        const cudaError_t code = (call);                                                \
        if (code != cudaSuccess) {                                                      \
            printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(code));        \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

namespace cg = cooperative_groups;

__device__ long long block_sum(long long value) {
    __shared__ long long tile[8];
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    for (int offset = 16; offset > 0; offset /= 2) {
        value += warp.shfl_down(value, offset);
    }
    if (warp.thread_rank() == 0) {
        tile[threadIdx.x / 32] = value;
    }
    __syncthreads();
    value = 0;
    if (threadIdx.x == 0) {
        for (int w = 0; w < blockDim.x / 32; ++w) {
            value += tile[w];
        }
    }
    __syncthreads();
    return value;
}

__global__ void sum(const int* in, int n, long long* partial, long long* out) {
    const auto grid = cg::this_grid();
    long long value = 0;
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size()) {
        value += in[i];
    }
    value = block_sum(value);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = value;
    }
    grid.sync();
    if (blockIdx.x == 0) {
        value = threadIdx.x < gridDim.x ? partial[threadIdx.x] : 0;
        value = block_sum(value);
        if (threadIdx.x == 0) {
            *out = value;
        }
    }
}

int main() {
    const int n = 30000, blocks = 16, threads = 256;
    std::vector<int> host(n);
    long long expected = 0;
    for (int i = 0; i < n; ++i) {
        host[i] = (i * 7919) % 10007 - 5000;
        expected += host[i];
    }
    int supported = 0;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0));
    int* in;
    long long *partial, *out, result = 0;
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&partial, blocks * sizeof(long long)));
    CHECK(cudaMalloc(&out, sizeof(long long)));
    CHECK(cudaMemcpy(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));

    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    cudaLaunchAttribute cooperative{};
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.stream = stream;
    config.attrs = &cooperative;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, sum, static_cast<const int*>(in), n, partial, out));
    CHECK(cudaMemcpyAsync(&result, out, sizeof result, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("supported %d, sum %lld, right %d\n", supported, result, result == expected);
    config.gridDim = 1 << 20;
    printf("too many: %s\n", cudaGetErrorName(cudaLaunchKernelEx(&config, sum, static_cast<const int*>(in), n, partial, out)));
    (void)cudaGetLastError();
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(in));
    CHECK(cudaFree(partial));
    CHECK(cudaFree(out));
}
