// Takes the index of the block as the number of the tile, as CUB does. This relies on the order in
// which GPUs start blocks, which CUDA doesn't promise.

#include <cuda/atomic>

constexpr int THREADS = 256;              // threads of a block
constexpr int WARPS = THREADS / 32;       // warps of a block
constexpr int RUNS = 6;                   // runs of four elements that a thread has
constexpr int TILE = THREADS * RUNS * 4;  // elements of a tile
constexpr unsigned ALL = 0xffffffffu;     // all 32 lanes of a warp

// The index of the first element of run k of this thread. A warp has 128 * RUNS elements in a row,
// and the runs k of its lanes are neighbours.
__device__ int run_start(int tile, int k) {
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;
    return tile * TILE + (warp * RUNS + k) * 128 + lane * 4;
}

// Loads this thread's elements of a tile. Beyond the end of `in`, they're 0.
__device__ void load_tile(const int* in, int n, int tile, int (&own)[RUNS][4]) {
    for (int k = 0; k < RUNS; ++k) {
        const int i = run_start(tile, k);
        if (i + 4 <= n) {
            const int4 run = *reinterpret_cast<const int4*>(in + i);
            own[k][0] = run.x, own[k][1] = run.y, own[k][2] = run.z, own[k][3] = run.w;
        } else {
            for (int j = 0; j < 4; ++j) {
                own[k][j] = i + j < n ? in[i + j] : 0;
            }
        }
    }
}

// Stores this thread's elements of a tile, with `before` added to each of them.
__device__ void store_tile(int* out, int n, int tile, const int (&own)[RUNS][4], int before) {
    for (int k = 0; k < RUNS; ++k) {
        const int i = run_start(tile, k);
        if (i + 4 <= n) {
            *reinterpret_cast<int4*>(out + i) = make_int4(own[k][0] + before, own[k][1] + before,
                                                          own[k][2] + before, own[k][3] + before);
        } else {
            for (int j = 0; j < 4; ++j) {
                if (i + j < n) {
                    out[i + j] = own[k][j] + before;
                }
            }
        }
    }
}

// Replaces the elements of a tile by their prefix sums within the tile, and returns the sum of the
// whole tile. All threads of the block have to call this function.
__device__ int scan_tile(int (&own)[RUNS][4]) {
    __shared__ int sums[WARPS];
    const int warp = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;

    int before = 0;  // the sum of the warp's runs so far
    for (int k = 0; k < RUNS; ++k) {
        for (int j = 1; j < 4; ++j) {
            own[k][j] += own[k][j - 1];
        }
        int upto = own[k][3];  // becomes the sum of the runs k of lanes 0 to `lane`
        for (int distance = 1; distance < 32; distance *= 2) {
            const int other = __shfl_up_sync(ALL, upto, distance);
            upto += lane >= distance ? other : 0;
        }
        const int earlier = before + upto - own[k][3];
        for (int j = 0; j < 4; ++j) {
            own[k][j] += earlier;
        }
        before += __shfl_sync(ALL, upto, 31);
    }

    __syncthreads();  // all threads have returned from an earlier call
    if (lane == 0) {
        sums[warp] = before;
    }
    __syncthreads();  // every warp has stored its sum

    int earlier = 0, sum = 0;
    for (int w = 0; w < WARPS; ++w) {
        earlier += w < warp ? sums[w] : 0;
        sum += sums[w];
    }
    for (int k = 0; k < RUNS; ++k) {
        for (int j = 0; j < 4; ++j) {
            own[k][j] += earlier;
        }
    }
    return sum;
}

// The state of a tile: a status in the upper 32 bits, and a sum in the lower 32 bits.
typedef unsigned long long State;
constexpr State OWN_SUM = State(1) << 32;  // the sum of the tile's own elements
constexpr State PREFIX = State(2) << 32;   // the sum of all elements up to the end of the tile

using Published = cuda::atomic_ref<State, cuda::thread_scope_device>;

__device__ void publish(State* states, int tile, State status, int sum) {
    Published(states[tile]).store(status | unsigned(sum), cuda::memory_order_relaxed);
}

// Returns the sum of all tiles before `tile`. The threads of one warp call this function together.
__device__ int look_back(State* states, int tile) {
    const int lane = threadIdx.x % 32;
    int sum = 0;
    for (int nearest = tile - 1;; nearest -= 32) {
        State state = PREFIX;  // before tile 0, the sum is 0
        if (nearest - lane >= 0) {
            do {
                state = Published(states[nearest - lane]).load(cuda::memory_order_relaxed);
            } while (state < OWN_SUM);  // the tile hasn't published anything yet
        }
        // The first lane with a prefix has the nearest tile that has published one.
        const unsigned known = __ballot_sync(ALL, state >= PREFIX);
        const int last = known != 0 ? __ffs(known) - 1 : 31;
        int part = lane <= last ? int(unsigned(state)) : 0;
        for (int distance = 16; distance > 0; distance /= 2) {
            part += __shfl_xor_sync(ALL, part, distance);
        }
        sum += part;
        if (known != 0) {
            return sum;
        }
    }
}

// Computes the prefix sums. Launch one block for each tile. `states` and `next` are 0 at the start.
__global__ void scan_tiles(const int* in, int* out, State* states, int* next, int n) {
    __shared__ int shared_tile;    // the tile of this block
    __shared__ int shared_before;  // the sum of all tiles before it

    if (threadIdx.x == 0) {
        shared_tile = blockIdx.x;
    }
    __syncthreads();  // thread 0 has stored the number of the tile
    const int tile = shared_tile;

    int own[RUNS][4];
    load_tile(in, n, tile, own);
    const int sum = scan_tile(own);

    if (threadIdx.x < 32) {
        if (threadIdx.x == 0 && tile > 0) {
            publish(states, tile, OWN_SUM, sum);
        }
        const int before = look_back(states, tile);
        if (threadIdx.x == 0) {
            publish(states, tile, PREFIX, before + sum);
            shared_before = before;
        }
    }
    __syncthreads();  // thread 0 has stored the sum of all earlier tiles

    store_tile(out, n, tile, own, shared_before);
}

extern "C" void scan_lookback(const int* in, int* out, int n) {
    const int tiles = (n + TILE - 1) / TILE;
    const size_t bytes = n * sizeof(int);

    int *d_in, *d_out, *d_next;
    State* d_states;
    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMalloc(&d_states, tiles * sizeof(State));
    cudaMalloc(&d_next, sizeof(int));
    cudaMemset(d_states, 0, tiles * sizeof(State));
    cudaMemset(d_next, 0, sizeof(int));
    cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice);

    scan_tiles<<<tiles, THREADS>>>(d_in, d_out, d_states, d_next, n);

    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_next);
    cudaFree(d_states);
    cudaFree(d_out);
    cudaFree(d_in);
}
