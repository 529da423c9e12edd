// Memory allocated and freed in the order of a stream, from the device's pool.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                     \
    do {                                                                                \
        const cudaError_t code = (call);                                                \
        if (code != cudaSuccess) {                                                      \
            printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(code));        \
            exit(1);                                                                    \
        }                                                                               \
    } while (0)

__global__ void iota(int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = i;
    }
}

__global__ void add_up(const int* in, int* sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(sum, in[i]);
    }
}

static uint64_t used(cudaMemPool_t pool) {
    uint64_t bytes = 0;
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &bytes));
    return bytes;
}

int main() {
    const int n = 1 << 12;
    int supported = 0;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
    cudaMemPool_t pool;
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    uint64_t keep = UINT64_MAX, kept = 0;
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept));
    printf("supported %d, keeps everything %d, used %llu\n", supported, kept == keep, (unsigned long long)used(pool));

    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int round = 1; round <= 3; ++round) {
        const int count = n * round;
        int *values, *sum, result = 0;
        CHECK(cudaMallocAsync(&values, count * sizeof(int), stream));
        CHECK(cudaMallocAsync(&sum, sizeof(int), stream));
        iota<<<(count + 255) / 256, 256, 0, stream>>>(values, count);
        CHECK(cudaMemsetAsync(sum, 0, sizeof(int), stream));
        add_up<<<(count + 255) / 256, 256, 0, stream>>>(values, sum, count);
        CHECK(cudaMemcpyAsync(&result, sum, sizeof(int), cudaMemcpyDeviceToHost, stream));
        CHECK(cudaFreeAsync(values, stream));
        CHECK(cudaFreeAsync(sum, stream));
        CHECK(cudaStreamSynchronize(stream));
        printf("round %d: %d, used %llu\n", round, result, (unsigned long long)used(pool));
    }
    int *shared = nullptr, result = 0;
    CHECK(cudaMallocFromPoolAsync(&shared, 4 * sizeof(int), pool, stream));
    cudaEvent_t ready;
    CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
    CHECK(cudaEventRecord(ready, stream));
    // another stream may use it once the allocation's place in its stream is reached
    cudaStream_t other;
    CHECK(cudaStreamCreate(&other));
    CHECK(cudaStreamWaitEvent(other, ready, 0));
    iota<<<1, 4, 0, other>>>(shared, 4);
    CHECK(cudaMemcpyAsync(&result, shared + 3, sizeof(int), cudaMemcpyDeviceToHost, other));
    CHECK(cudaStreamSynchronize(other));
    printf("last %d\n", result);
    CHECK(cudaFree(shared));
    CHECK(cudaMemPoolTrimTo(pool, 0));
    printf("used %llu\n", (unsigned long long)used(pool));
    CHECK(cudaEventDestroy(ready));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaStreamDestroy(other));
}
