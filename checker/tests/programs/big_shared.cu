// More than 48 KiB of shared memory, for which a kernel has to opt in: a transposition of one large tile.
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

constexpr int N = 128;

__global__ void transpose(const float* in, float* out) {
    extern __shared__ float tile[];  // [N][N + 1]
    for (int i = threadIdx.x; i < N * N; i += blockDim.x) {
        tile[i / N * (N + 1) + i % N] = in[i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < N * N; i += blockDim.x) {
        out[i] = tile[i % N * (N + 1) + i / N];
    }
}

__global__ void __launch_bounds__(256) bounded(int* out) {
    __shared__ int tile[256];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[255 - threadIdx.x];
}

int main() {
    const int bytes = N * (N + 1) * sizeof(float);
    std::vector<float> host(N * N), result(N * N);
    for (int i = 0; i < N * N; ++i) {
        host[i] = static_cast<float>(i);
    }
    float *in, *out;
    CHECK(cudaMalloc(&in, N * N * sizeof(float)));
    CHECK(cudaMalloc(&out, N * N * sizeof(float)));
    CHECK(cudaMemcpy(in, host.data(), N * N * sizeof(float), cudaMemcpyHostToDevice));

    transpose<<<1, 512, bytes>>>(in, out);
    printf("without asking: %s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFuncAttributes before, after, other;
    CHECK(cudaFuncGetAttributes(&before, transpose));
    CHECK(cudaFuncSetAttribute(transpose, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    CHECK(cudaFuncSetAttribute(transpose, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
    CHECK(cudaFuncGetAttributes(&after, transpose));
    CHECK(cudaFuncGetAttributes(&other, bounded));
    printf("dynamic: %d, then %d; carve-out: %d, then %d\n", before.maxDynamicSharedSizeBytes, after.maxDynamicSharedSizeBytes,
           before.preferredShmemCarveout, after.preferredShmemCarveout);
    printf("static: %zu and %zu, threads: %d and %d, dynamic of the other: %d\n", before.sharedSizeBytes, other.sharedSizeBytes,
           before.maxThreadsPerBlock, other.maxThreadsPerBlock, other.maxDynamicSharedSizeBytes);
    printf("registers: %d, local memory: %zu\n", before.numRegs > 0, before.localSizeBytes);
    transpose<<<1, 512, bytes>>>(in, out);
    printf("after asking: %s\n", cudaGetErrorName(cudaGetLastError()));
    CHECK(cudaMemcpy(result.data(), out, N * N * sizeof(float), cudaMemcpyDeviceToHost));
    int right = 0;
    for (int i = 0; i < N * N; ++i) {
        right += result[i] == host[i % N * N + i / N];
    }
    printf("%d of %d right\n", right, N * N);
    bounded<<<1, 256>>>(reinterpret_cast<int*>(out));
    printf("within bounds: %s\n", cudaGetErrorName(cudaGetLastError()));
    bounded<<<1, 512>>>(reinterpret_cast<int*>(out));
    printf("beyond bounds: %s\n", cudaGetErrorName(cudaGetLastError()));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}
