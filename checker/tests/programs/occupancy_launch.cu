// The runtime suggests a block size that fills the device, and a grid-stride loop processes the rest.
#include <algorithm>
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

__global__ void square(const int* in, int* out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        out[i] = in[i] * in[i];
    }
}

__global__ void with_tile(int* out) {
    extern __shared__ int tile[];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

int main() {
    const int n = 10007;
    std::vector<int> host(n), result(n);
    for (int i = 0; i < n; ++i) {
        host[i] = i % 1000 - 500;
    }
    int *in, *out;
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&out, n * sizeof(int)));
    CHECK(cudaMemcpy(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));

    int least_grid = 0, block = 0;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&least_grid, &block, square));
    printf("whole warps: %d, some blocks: %d\n", block > 0 && block % 32 == 0, least_grid > 0);
    const int grid = std::min(least_grid, (n + block - 1) / block);
    square<<<grid, block>>>(in, out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(result.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
    long long sum = 0;
    for (int v : result) {
        sum += v;
    }
    printf("sum of squares: %lld\n", sum);

    int small = 0, large = 0, most_threads = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&small, square, 128, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&large, square, 1024, 0));
    CHECK(cudaDeviceGetAttribute(&most_threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
    printf("full with 128 threads: %d, with 1024: %d\n", small * 128 == most_threads, large * 1024 == most_threads);
    int frugal = 0, greedy = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&frugal, with_tile, 64, 64 * sizeof(int)));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&greedy, with_tile, 64, 40 << 10));
    printf("shared memory costs blocks: %d\n", greedy < frugal);
    size_t available = 0;
    CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&available, with_tile, greedy, 64));
    printf("what is available is enough: %d\n", available >= 40 << 10);
    with_tile<<<4, 64, 64 * sizeof(int)>>>(out);
    CHECK(cudaMemcpy(result.data(), out, 256 * sizeof(int), cudaMemcpyDeviceToHost));
    printf("%d %d %d\n", result[0], result[63], result[64]);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}
