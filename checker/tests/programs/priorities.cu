// Streams with priorities, their flags, and the per-thread default stream.
#include <algorithm>
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

__global__ void scale(float* x, int n, float by) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] *= by;
    }
}

int main() {
    const int n = 4096;
    int least = 0, greatest = 0;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    printf("priorities: %d, greatest is less: %d\n", least, greatest < least);
    cudaStream_t low, high, beyond;
    CHECK(cudaStreamCreateWithPriority(&low, cudaStreamDefault, least));
    CHECK(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, greatest));
    CHECK(cudaStreamCreateWithPriority(&beyond, cudaStreamNonBlocking, greatest - 10));
    int priority = 99;
    unsigned flags = 99;
    CHECK(cudaStreamGetPriority(low, &priority));
    CHECK(cudaStreamGetFlags(low, &flags));
    printf("low: %d, flags %u\n", priority, flags);
    CHECK(cudaStreamGetPriority(high, &priority));
    CHECK(cudaStreamGetFlags(high, &flags));
    printf("high: %d, flags %u\n", priority == greatest, flags);
    CHECK(cudaStreamGetPriority(beyond, &priority));
    printf("beyond: %d\n", priority == greatest);
    CHECK(cudaStreamGetPriority(cudaStreamPerThread, &priority));
    CHECK(cudaStreamGetFlags(cudaStreamPerThread, &flags));
    printf("per thread: %d, flags %u\n", priority, flags);
    int of = 99;
    CHECK(cudaStreamGetDevice(high, &of));
    unsigned long long one = 0, other = 0;
    CHECK(cudaStreamGetId(low, &one));
    CHECK(cudaStreamGetId(high, &other));
    printf("device %d, different streams: %d\n", of, one != other);

    cudaStream_t streams[] = {low, high, beyond, cudaStreamPerThread};
    float *device[4], *host[4];
    for (int s = 0; s < 4; ++s) {
        CHECK(cudaMalloc(&device[s], n * sizeof(float)));
        CHECK(cudaMallocHost(&host[s], n * sizeof(float)));
        std::fill(host[s], host[s] + n, s + 1.0f);
        CHECK(cudaMemcpyAsync(device[s], host[s], n * sizeof(float), cudaMemcpyHostToDevice, streams[s]));
        scale<<<n / 256, 256, 0, streams[s]>>>(device[s], n, 3.0f);
        CHECK(cudaMemcpyAsync(host[s], device[s], n * sizeof(float), cudaMemcpyDeviceToHost, streams[s]));
    }
    for (int s = 0; s < 4; ++s) {
        CHECK(cudaStreamSynchronize(streams[s]));
        printf("stream %d: %g %g\n", s, host[s][0], host[s][n - 1]);
    }
    for (int s = 0; s < 4; ++s) {
        CHECK(cudaFree(device[s]));
        CHECK(cudaFreeHost(host[s]));
    }
    CHECK(cudaStreamDestroy(low));
    CHECK(cudaStreamDestroy(high));
    CHECK(cudaStreamDestroy(beyond));
}
