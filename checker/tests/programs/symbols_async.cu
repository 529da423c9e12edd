// Device variables, copied in stream order and accessed through their addresses.
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

struct Settings {
    float scale;
    int shift;
};

__constant__ Settings settings;
__device__ int counters[4];
__device__ float history[8] = {1, 2, 3, 4, 5, 6, 7, 8};

__global__ void count(const int* in, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(&counters[in[i] & 3], 1);
    }
}

__global__ void age() {
    const float old = history[threadIdx.x];
    history[threadIdx.x] = old * settings.scale + settings.shift;
}

int main() {
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    Settings* wanted;
    float* seen;
    CHECK(cudaMallocHost(&wanted, sizeof(Settings)));
    CHECK(cudaMallocHost(&seen, 8 * sizeof(float)));
    *wanted = Settings{0.5f, 10};
    CHECK(cudaMemcpyToSymbolAsync(settings, wanted, sizeof(Settings), 0, cudaMemcpyHostToDevice, stream));
    age<<<1, 8, 0, stream>>>();
    CHECK(cudaMemcpyFromSymbolAsync(seen, history, 8 * sizeof(float), 0, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < 8; ++i) {
        printf("%g ", seen[i]);
    }
    printf("\n");

    const int n = 1000;
    int *in, *address, host[n], result[4];
    size_t bytes = 0;
    for (int i = 0; i < n; ++i) {
        host[i] = i * i + i / 3;
    }
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMemcpyAsync(in, host, sizeof host, cudaMemcpyHostToDevice, stream));
    CHECK(cudaGetSymbolAddress((void**)&address, counters));
    CHECK(cudaGetSymbolSize(&bytes, counters));
    CHECK(cudaMemsetAsync(address, 0, bytes, stream));
    count<<<(n + 255) / 256, 256, 0, stream>>>(in, n);
    CHECK(cudaMemcpyFromSymbolAsync(result, counters, sizeof result, 0, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("%zu bytes: %d %d %d %d\n", bytes, result[0], result[1], result[2], result[3]);
    CHECK(cudaMemcpyFromSymbol(result, counters, 2 * sizeof(int), 2 * sizeof(int)));
    printf("the last two: %d %d\n", result[0], result[1]);
    // from one variable to another, without the host
    CHECK(cudaMemcpyToSymbol(history, address, 4 * sizeof(int), 4 * sizeof(float), cudaMemcpyDeviceToDevice));
    int same[4];
    CHECK(cudaMemcpyFromSymbol(same, history, sizeof same, 4 * sizeof(float)));
    printf("moved: %d %d %d %d\n", same[0], same[1], same[2], same[3]);
    CHECK(cudaFree(in));
    CHECK(cudaFreeHost(wanted));
    CHECK(cudaFreeHost(seen));
    CHECK(cudaStreamDestroy(stream));
}
