// Finds the highest level of a river so far, in one pass over the measurements.
#include <cstdio>
#include <cuda/atomic>

constexpr int TILE = 256;  // elements of a tile, and threads of a block

// ANCHOR: publish
typedef unsigned long long State;
constexpr State OWN = State(1) << 32;      // the tile's own maximum
constexpr State OVERALL = State(2) << 32;  // the maximum up to its end

using Published = cuda::atomic_ref<State, cuda::thread_scope_device>;

__device__ void publish(State* states, int tile, State status, int level) {
    Published(states[tile]).store(status | unsigned(level),       // (1)
                                  cuda::memory_order_relaxed);
}
// ANCHOR_END: publish

// ANCHOR: look_back
__device__ int look_back(State* states, int tile) {
    int highest = 0;
    for (int t = tile - 1; t >= 0; --t) {                         // (2)
        State state;
        do {
            state = Published(states[t]).load(cuda::memory_order_relaxed);
        } while (state < OWN);                                    // (3)
        highest = max(highest, int(unsigned(state)));
        if (state >= OVERALL) {
            break;                                                // (4)
        }
    }
    return highest;
}
// ANCHOR_END: look_back

// ANCHOR: kernel
__global__ void flood(const int* in, int* out, State* states, int* next, int n) {
    __shared__ int tile, before, warps[TILE / 32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        tile = atomicAdd(next, 1);                                // (5)
    }
    __syncthreads();

    const int i = tile * TILE + threadIdx.x;
    int level = i < n ? in[i] : 0;
    for (int distance = 1; distance < 32; distance *= 2) {
        const int other = __shfl_up_sync(0xffffffff, level, distance);
        level = lane >= distance ? max(level, other) : level;
    }
    if (lane == 31) {
        warps[warp] = level;
    }
    __syncthreads();

    if (threadIdx.x == 0) {
        int own = 0;
        for (int w = 0; w < TILE / 32; ++w) {
            own = max(own, warps[w]);
        }
        publish(states, tile, OWN, own);                          // (6)
        before = look_back(states, tile);
        publish(states, tile, OVERALL, max(before, own));         // (7)
    }
    __syncthreads();

    for (int w = 0; w < warp; ++w) {
        level = max(level, warps[w]);
    }
    if (i < n) {
        out[i] = max(level, before);
    }
}
// ANCHOR_END: kernel

int main() {
    const int n = 5000, tiles = (n + TILE - 1) / TILE;
    int *in, *out, *next;
    State* states;
    cudaMallocManaged(&in, n * sizeof(int));
    cudaMallocManaged(&out, n * sizeof(int));
    cudaMalloc(&next, sizeof(int));
    cudaMalloc(&states, tiles * sizeof(State));
    cudaMemset(next, 0, sizeof(int));
    cudaMemset(states, 0, tiles * sizeof(State));
    for (int i = 0; i < n; ++i) {
        in[i] = i * 7919 % 1000 + i / 10;
    }

    flood<<<tiles, TILE>>>(in, out, states, next, n);
    cudaDeviceSynchronize();

    int wrong = 0, highest = 0;
    for (int i = 0; i < n; ++i) {
        highest = max(highest, in[i]);
        wrong += out[i] != highest;
    }
    printf("highest level %d, %d of %d results wrong\n", out[n - 1], wrong, n);

    cudaFree(states);
    cudaFree(next);
    cudaFree(out);
    cudaFree(in);
}
