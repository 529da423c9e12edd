// Two buffers and two streams. While one chunk is processed, the next is copied. Events show when a buffer is free.
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

__global__ void step(const int* in, int* out, int n, int seed) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i] * 3 + seed;
    }
}

int main() {
    const int chunk = 1024, chunks = 7;
    int *staging[2], *results[2], *in[2], *out[2];
    cudaStream_t streams[2];
    cudaEvent_t done[2];
    for (int b = 0; b < 2; ++b) {
        CHECK(cudaHostAlloc(&staging[b], chunk * sizeof(int), cudaHostAllocWriteCombined));
        CHECK(cudaMallocHost(&results[b], chunk * sizeof(int)));
        CHECK(cudaMalloc(&in[b], chunk * sizeof(int)));
        CHECK(cudaMalloc(&out[b], chunk * sizeof(int)));
        CHECK(cudaStreamCreateWithFlags(&streams[b], cudaStreamNonBlocking));
        CHECK(cudaEventCreateWithFlags(&done[b], cudaEventDisableTiming | cudaEventBlockingSync));
    }
    unsigned flags = 0;
    CHECK(cudaHostGetFlags(&flags, staging[0]));
    printf("write-combined: %d\n", (flags & cudaHostAllocWriteCombined) != 0);

    long long sums[chunks] = {};
    const auto collect = [&](int c) {
        CHECK(cudaEventSynchronize(done[c % 2]));
        for (int i = 0; i < chunk; ++i) {
            sums[c] += results[c % 2][i];
        }
    };
    for (int c = 0; c < chunks; ++c) {
        const int b = c % 2;
        if (c >= 2) {
            collect(c - 2);
        }
        for (int i = 0; i < chunk; ++i) {
            staging[b][i] = c * chunk + i;
        }
        CHECK(cudaMemcpyAsync(in[b], staging[b], chunk * sizeof(int), cudaMemcpyHostToDevice, streams[b]));
        step<<<chunk / 256, 256, 0, streams[b]>>>(in[b], out[b], chunk, c);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(results[b], out[b], chunk * sizeof(int), cudaMemcpyDeviceToHost, streams[b]));
        CHECK(cudaEventRecord(done[b], streams[b]));
    }
    collect(chunks - 2);
    collect(chunks - 1);
    for (int c = 0; c < chunks; ++c) {
        long long expected = 0;
        for (int i = 0; i < chunk; ++i) {
            expected += (c * chunk + i) * 3 + c;
        }
        printf("chunk %d: %lld %s\n", c, sums[c], sums[c] == expected ? "right" : "wrong");
    }
    for (int b = 0; b < 2; ++b) {
        CHECK(cudaEventDestroy(done[b]));
        CHECK(cudaStreamDestroy(streams[b]));
        CHECK(cudaFreeHost(staging[b]));
        CHECK(cudaFreeHost(results[b]));
        CHECK(cudaFree(in[b]));
        CHECK(cudaFree(out[b]));
    }
}
