// A histogram, first per block and then combined, timed with events. Times differ, but their order does not.
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

constexpr int BINS = 64;

__global__ void histogram(const unsigned char* data, int n, unsigned* bins) {
    __shared__ unsigned mine[BINS];
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        mine[b] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&mine[data[i] % BINS], 1);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
        atomicAdd(&bins[b], mine[b]);
    }
}

int main() {
    const int n = 60000;
    std::vector<unsigned char> data(n);
    unsigned state = 1;
    for (unsigned char& v : data) {
        state = state * 1103515245u + 12345u;
        v = static_cast<unsigned char>(state >> 16);
    }
    unsigned char* device;
    unsigned *bins, result[BINS];
    CHECK(cudaMalloc(&device, n));
    CHECK(cudaMalloc(&bins, sizeof result));
    cudaEvent_t start, copied, counted, last;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&copied));
    CHECK(cudaEventCreate(&counted));
    CHECK(cudaEventCreate(&last));
    printf("before: %s\n", cudaGetErrorName(cudaEventQuery(start)));

    CHECK(cudaEventRecord(start));
    CHECK(cudaMemcpyAsync(device, data.data(), n, cudaMemcpyHostToDevice));
    CHECK(cudaMemsetAsync(bins, 0, sizeof result));
    CHECK(cudaEventRecord(copied));
    histogram<<<12, 256>>>(device, n, bins);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecordWithFlags(counted, 0, cudaEventRecordDefault));
    CHECK(cudaMemcpyAsync(result, bins, sizeof result, cudaMemcpyDeviceToHost));
    CHECK(cudaEventRecord(last));
    CHECK(cudaEventSynchronize(last));
    float whole = 0, copy = 0, kernel = 0;
    CHECK(cudaEventElapsedTime(&whole, start, last));
    CHECK(cudaEventElapsedTime(&copy, start, copied));
    CHECK(cudaEventElapsedTime(&kernel, copied, counted));
    printf("some time: %d %d, parts of the whole: %d\n", copy > 0, kernel > 0, copy + kernel <= whole * 1.001f);
    unsigned total = 0, most = 0;
    for (unsigned b : result) {
        total += b;
        most = b > most ? b : most;
    }
    printf("total %u, most %u, bin 0 %u, bin 63 %u\n", total, most, result[0], result[63]);
    printf("after: %s\n", cudaGetErrorName(cudaEventQuery(last)));
    for (cudaEvent_t e : {start, copied, counted, last}) {
        CHECK(cudaEventDestroy(e));
    }
    CHECK(cudaFree(device));
    CHECK(cudaFree(bins));
}
