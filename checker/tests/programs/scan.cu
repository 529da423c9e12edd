// An inclusive prefix sum over many blocks: scan each block, scan the blocks' sums, add them.
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

constexpr int BLOCK = 256;

__global__ void scan_blocks(const int* in, int* out, int* sums, int n) {
    __shared__ int tile[2][BLOCK];
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    int from = 0;
    tile[from][threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (int offset = 1; offset < BLOCK; offset *= 2) {
        int value = tile[from][threadIdx.x];
        if (threadIdx.x >= offset) {
            value += tile[from][threadIdx.x - offset];
        }
        from ^= 1;
        tile[from][threadIdx.x] = value;
        __syncthreads();
    }
    if (i < n) {
        out[i] = tile[from][threadIdx.x];
    }
    if (sums != nullptr && threadIdx.x == BLOCK - 1) {
        sums[blockIdx.x] = tile[from][BLOCK - 1];
    }
}

__global__ void add_before(int* out, const int* sums, int n) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n && blockIdx.x > 0) {
        out[i] += sums[blockIdx.x - 1];
    }
}

static void scan(const int* in, int* out, int n) {
    const int blocks = (n + BLOCK - 1) / BLOCK;
    if (blocks == 1) {
        scan_blocks<<<1, BLOCK>>>(in, out, nullptr, n);
        CHECK(cudaGetLastError());
        return;
    }
    int* sums;
    CHECK(cudaMalloc(&sums, blocks * sizeof(int)));
    scan_blocks<<<blocks, BLOCK>>>(in, out, sums, n);
    scan(sums, sums, blocks);
    add_before<<<blocks, BLOCK>>>(out, sums, n);
    CHECK(cudaGetLastError());
    CHECK(cudaFree(sums));
}

int main() {
    for (const int n : {1, 255, 256, 257, 5000, 70001}) {
        std::vector<int> host(n), result(n);
        for (int i = 0; i < n; ++i) {
            host[i] = (i * 31) % 17 - 8;
        }
        int *in, *out;
        CHECK(cudaMalloc(&in, n * sizeof(int)));
        CHECK(cudaMalloc(&out, n * sizeof(int)));
        CHECK(cudaMemcpy(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
        scan(in, out, n);
        CHECK(cudaMemcpy(result.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost));
        int sum = 0, right = 0;
        for (int i = 0; i < n; ++i) {
            sum += host[i];
            right += sum == result[i];
        }
        printf("%d: %d right, last %d\n", n, right, result[n - 1]);
        CHECK(cudaFree(in));
        CHECK(cudaFree(out));
    }
}
