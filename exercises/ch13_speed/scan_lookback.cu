// scan_lookback | chapter 13 | "Tiles that look back"
//
// Goal    compute out[i] = in[0] + in[1] + ... + in[i], with one load and one store per element.
//
// in      [n]  i32, in the host's memory, read only
// out     [n]  i32, in the host's memory, every element written once
// n       count, any n >= 1
//
// This program is right, but it loads and stores each element twice, once for the prefix sum within
// its tile and once to add the carry. Let a single launch do both. The functions above scan_tiles
// are fast, so you can keep them as they are.
//
// Run     cargo checker check scan_lookback    Stuck?  cargo checker hint scan_lookback

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

// Computes the prefix sums within each tile, and stores each tile's sum. Launch one block for each
// tile.
__global__ void scan_tiles(const int* in, int* out, int* sums, int n) {
    int own[RUNS][4];
    load_tile(in, n, blockIdx.x, own);
    const int sum = scan_tile(own);
    store_tile(out, n, blockIdx.x, own, 0);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
    }
}

// Replaces the sums of the tiles by their prefix sums. Launch one block.
__global__ void scan_sums(int* sums, int tiles) {
    int before = 0;
    for (int tile = 0; tile * TILE < tiles; ++tile) {
        int own[RUNS][4];
        load_tile(sums, tiles, tile, own);
        const int sum = scan_tile(own);
        store_tile(sums, tiles, tile, own, before);
        before += sum;
    }
}

// Adds the sum of all earlier tiles to each element. Launch one block for each tile.
__global__ void add_carry(int* out, const int* sums, int n) {
    if (blockIdx.x > 0) {
        int own[RUNS][4];
        load_tile(out, n, blockIdx.x, own);
        store_tile(out, n, blockIdx.x, own, sums[blockIdx.x - 1]);
    }
}

// TODO: replace the three launches by one. In this launch, each tile computes the sum of all
//       earlier tiles from the states that these tiles have published.
extern "C" void scan_lookback(const int* in, int* out, int n) {
    const int tiles = (n + TILE - 1) / TILE;
    const size_t bytes = n * sizeof(int);

    int *d_in, *d_out, *d_sums;
    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMalloc(&d_sums, tiles * sizeof(int));
    cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice);

    scan_tiles<<<tiles, THREADS>>>(d_in, d_out, d_sums, n);
    scan_sums<<<1, THREADS>>>(d_sums, tiles);
    add_carry<<<tiles, THREADS>>>(d_out, d_sums, n);

    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_sums);
    cudaFree(d_out);
    cudaFree(d_in);
}
