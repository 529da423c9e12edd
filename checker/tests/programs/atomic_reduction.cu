// Sum, minimum and maximum of many numbers: within warps by shuffles, within blocks by shared atomics, then by global ones.
#include <climits>
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

struct Summary {
    unsigned long long sum;
    int least, greatest;
    unsigned bits;
};

__global__ void summarise(const int* in, int n, Summary* out) {
    __shared__ unsigned long long sum;
    __shared__ int least, greatest;
    __shared__ unsigned bits;
    if (threadIdx.x == 0) {
        sum = 0;
        least = INT_MAX;
        greatest = INT_MIN;
        bits = 0;
    }
    __syncthreads();
    int mine = 0, low = INT_MAX, high = INT_MIN;
    unsigned seen = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int v = in[i];
        mine += v;
        low = min(low, v);
        high = max(high, v);
        seen ^= v;
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        mine += __shfl_xor_sync(~0u, mine, offset);
        low = min(low, __shfl_xor_sync(~0u, low, offset));
        high = max(high, __shfl_xor_sync(~0u, high, offset));
        seen ^= __shfl_xor_sync(~0u, seen, offset);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&sum, static_cast<unsigned long long>(static_cast<long long>(mine)));
        atomicMin(&least, low);
        atomicMax(&greatest, high);
        atomicXor(&bits, seen);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&out->sum, sum);
        atomicMin(&out->least, least);
        atomicMax(&out->greatest, greatest);
        atomicXor(&out->bits, bits);
    }
}

int main() {
    const int n = 50021;
    std::vector<int> host(n);
    Summary expected{0, INT_MAX, INT_MIN, 0};
    unsigned state = 12345;
    for (int& v : host) {
        state = state * 1664525u + 1013904223u;
        v = static_cast<int>(state >> 12) - 500000;
        expected.sum += static_cast<unsigned long long>(static_cast<long long>(v));
        expected.least = v < expected.least ? v : expected.least;
        expected.greatest = v > expected.greatest ? v : expected.greatest;
        expected.bits ^= static_cast<unsigned>(v);
    }
    int* in;
    Summary *out, result{0, INT_MAX, INT_MIN, 0};
    CHECK(cudaMalloc(&in, n * sizeof(int)));
    CHECK(cudaMalloc(&out, sizeof(Summary)));
    CHECK(cudaMemcpy(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(out, &result, sizeof(Summary), cudaMemcpyHostToDevice));
    summarise<<<20, 256>>>(in, n, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&result, out, sizeof(Summary), cudaMemcpyDeviceToHost));
    printf("sum %lld, least %d, greatest %d, bits %08x\n", static_cast<long long>(result.sum), result.least, result.greatest, result.bits);
    printf("right: %d\n", result.sum == expected.sum && result.least == expected.least && result.greatest == expected.greatest &&
                              result.bits == expected.bits);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}
