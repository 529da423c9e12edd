// Measures what a card's memories can do: the figures of `checker/src/bound/cards.rs`.
//
//     nvcc -O3 -arch=native -o limits checker/proof/records/limits.cu && ./limits
//
// Latencies are those of one thread, which reads where the word before told it to. Each rate is the
// best of nine launches after a first one, because a bound needs what can be reached.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#define CUDA(call)                                                                           \
    do {                                                                                     \
        cudaError_t error = (call);                                                          \
        if (error != cudaSuccess) {                                                          \
            printf("%s: %s\n", #call, cudaGetErrorString(error));                            \
            exit(1);                                                                         \
        }                                                                                    \
    } while (0)

constexpr int kBlocks = 132 * 8;
constexpr int kThreads = 256;
constexpr size_t kSmall = 16u << 20;  // fits into the L2 cache
constexpr size_t kLarge = 1ull << 31;

__global__ void chase(const unsigned *next, int steps, unsigned *out, long long *cycles)
{
    unsigned at = 0;
    for (int i = 0; i < steps; ++i)
        at = next[at];
    const long long start = clock64();
    for (int i = 0; i < steps; ++i)
        at = next[at];
    *cycles = clock64() - start;
    *out = at;
}

__global__ void read_l2(const float4 *in, size_t n, int rounds, float *out)
{
    float sum = 0;
    const size_t threads = size_t(gridDim.x) * blockDim.x;
    for (int r = 0; r < rounds; ++r)
#pragma unroll 4
        for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
            const float4 v = __ldcg(in + i);
            sum += v.x + v.y + v.z + v.w;
        }
    if (sum == 0.123f)
        *out = sum;
}

__global__ void write_all(float4 *out, size_t n)
{
    const size_t threads = size_t(gridDim.x) * blockDim.x;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        out[i] = make_float4(1, 2, 3, 4);
}

__global__ void copy_all(const float4 *in, float4 *out, size_t n)
{
    const size_t threads = size_t(gridDim.x) * blockDim.x;
#pragma unroll 4
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        out[i] = in[i];
}

// One word in each sector that the warps go through, all sectors of a warp's access far apart.
__global__ void sectors(unsigned *data, size_t words, int rounds, bool store, unsigned *out)
{
    const size_t threads = size_t(gridDim.x) * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
#pragma unroll 8
    for (int r = 0; r < rounds; ++r) {
        const size_t sector = (thread * 2654435761u + size_t(r) * threads * 40503u) % (words / 8);
        if (store)
            __stcg(data + sector * 8, unsigned(r));
        else
            sum += __ldcg(data + sector * 8);
    }
    if (sum == 123)
        *out = sum;
}

enum Where { ONE_LANE, SAME, BYTES, NEIGHBOURS, ANYWHERE };

__global__ void atomics(unsigned *data, size_t words, int rounds, Where where)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned random = thread * 2654435761u + 1;
    for (int r = 0; r < rounds; ++r) {
        random = random * 1664525u + 1013904223u;
        size_t at = 0;
        if (where == ONE_LANE && threadIdx.x % 32 != 0)
            continue;
        if (where == BYTES)
            at = random >> 24;
        if (where == NEIGHBOURS)
            at = (thread + size_t(r) * gridDim.x * blockDim.x) % words;
        if (where == ANYWHERE)
            at = (random >> 4) % words;
        asm volatile("red.global.add.u32 [%0], 1;" ::"l"(data + at) : "memory");
    }
}

__global__ void nothing() {}

template <typename F> double best(F launch)
{
    cudaEvent_t from, to;
    CUDA(cudaEventCreate(&from));
    CUDA(cudaEventCreate(&to));
    float least = 1e30f;
    for (int i = 0; i < 10; ++i) {
        CUDA(cudaEventRecord(from));
        launch();
        CUDA(cudaEventRecord(to));
        CUDA(cudaEventSynchronize(to));
        float ms;
        CUDA(cudaEventElapsedTime(&ms, from, to));
        if (i > 0)
            least = std::min(least, ms);
    }
    CUDA(cudaGetLastError());
    return least * 1e-3;
}

static void latency(const char *name, size_t bytes, int steps)
{
    // one word in each line, all lines in one random cycle
    const size_t stride = 32, lines = bytes / 4 / stride;
    std::vector<unsigned> order(lines), next(bytes / 4);
    for (size_t i = 0; i < lines; ++i)
        order[i] = unsigned(i);
    std::shuffle(order.begin() + 1, order.end(), std::mt19937(7));
    for (size_t i = 0; i < lines; ++i)
        next[order[i] * stride] = unsigned(order[(i + 1) % lines] * stride);
    unsigned *device, *out;
    long long *cycles, count;
    CUDA(cudaMalloc(&device, bytes));
    CUDA(cudaMalloc(&out, 4));
    CUDA(cudaMalloc(&cycles, 8));
    CUDA(cudaMemcpy(device, next.data(), bytes, cudaMemcpyHostToDevice));
    chase<<<1, 1>>>(device, steps, out, cycles);
    CUDA(cudaMemcpy(&count, cycles, 8, cudaMemcpyDeviceToHost));
    printf("latency %-24s %8.1f cycles\n", name, double(count) / steps);
    CUDA(cudaFree(device));
}

int main()
{
    cudaDeviceProp card;
    CUDA(cudaGetDeviceProperties(&card, 0));
    int khz;
    CUDA(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    printf("%s, %d multiprocessors, %d MHz, L2 %d bytes\n", card.name, card.multiProcessorCount, khz / 1000, card.l2CacheSize);
    latency("L1, 16 KiB", 16 << 10, 4096);
    latency("L2, 4 MiB", 4 << 20, 20000);
    latency("L2, 16 MiB", 16 << 20, 40000);
    latency("memory, 512 MiB", 512u << 20, 40000);

    char *small, *large;
    unsigned *out;
    CUDA(cudaMalloc(&small, kSmall));
    CUDA(cudaMalloc(&large, kLarge));
    CUDA(cudaMalloc(&out, 4));
    CUDA(cudaMemset(small, 0, kSmall));
    CUDA(cudaMemset(large, 0, kLarge));
    const double total = double(kBlocks) * kThreads;
    auto rate = [](const char *name, double amount, double seconds, const char *unit) {
        printf("rate    %-24s %10.1f G%s/s\n", name, amount / seconds * 1e-9, unit);
    };
    rate("read, L2", 20.0 * kSmall, best([&] { read_l2<<<kBlocks, kThreads>>>((float4 *)small, kSmall / 16, 20, (float *)out); }), "B");
    rate("write, L2", kSmall, best([&] { write_all<<<kBlocks, kThreads>>>((float4 *)small, kSmall / 16); }), "B");
    rate("read, memory", kLarge, best([&] { read_l2<<<kBlocks, kThreads>>>((float4 *)large, kLarge / 16, 1, (float *)out); }), "B");
    rate("write, memory", kLarge, best([&] { write_all<<<kBlocks, kThreads>>>((float4 *)large, kLarge / 16); }), "B");
    rate("copy, memory", kLarge, best([&] { copy_all<<<kBlocks, kThreads>>>((float4 *)large, (float4 *)(large + kLarge / 2), kLarge / 32); }), "B");
    const int rounds = 128;
    for (bool store : {false, true}) {
        rate(store ? "store to a sector, L2" : "load of a sector, L2", total * rounds, best([&] { sectors<<<kBlocks, kThreads>>>((unsigned *)small, kSmall / 4, rounds, store, out); }), "");
        rate(store ? "store to a sector, memory" : "load of a sector, memory", total * rounds, best([&] { sectors<<<kBlocks, kThreads>>>((unsigned *)large, kLarge / 4, rounds, store, out); }), "");
    }
    const char *names[] = {"one lane, one word", "a warp, one word", "256 words", "neighbours, L2", "anywhere, L2"};
    for (int w = 0; w < 5; ++w)
        rate(names[w], total * 64 / (w == 0 ? 32 : 1), best([&] { atomics<<<kBlocks, kThreads>>>((unsigned *)small, kSmall / 4, 64, Where(w)); }), "atomics");
    rate("anywhere, memory", total * 64, best([&] { atomics<<<kBlocks, kThreads>>>((unsigned *)large, kLarge / 4, 64, ANYWHERE); }), "atomics");
    printf("launch  %.2f us\n", best([] { for (int i = 0; i < 500; ++i) nothing<<<1, 32>>>(); }) * 1e6 / 500);
}
