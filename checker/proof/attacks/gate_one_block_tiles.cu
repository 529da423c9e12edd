// attack: one block scans all tiles in one launch
// exercise: scan_blocks
// expect: gate-missed
// stopped-by: the limit of the instructions of one warp, in a case with 512 tiles

constexpr int THREADS = 1024;              // threads of a block
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
__device__ int scan_tile(int (&own)[RUNS][4], int carry) {
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

    int up = sums[lane];
    for (int d = 1; d < 32; d *= 2) {
        const int o = __shfl_up_sync(ALL, up, d);
        up += lane >= d ? o : 0;
    }
    const int sum = __shfl_sync(ALL, up, 31);
    int earlier = __shfl_sync(ALL, up, (warp + 31) % 32);
    if (warp == 0) earlier = 0;
    earlier += carry;
    for (int k = 0; k < RUNS; ++k) {
        for (int j = 0; j < 4; ++j) {
            own[k][j] += earlier;
        }
    }
    return sum;
}


__global__ void one_block(const int* in, int* out, int n) {
    int before = 0;
    for (int tile = 0; tile * TILE < n; ++tile) {
        int own[RUNS][4];
        load_tile(in, n, tile, own);
        const int sum = scan_tile(own, before);
        store_tile(out, n, tile, own, 0);
        before += sum;
    }
}
extern "C" void scan_blocks(const int* in, int* out, int n) {
    const size_t bytes = n * sizeof(int);
    int *d_in, *d_out;
    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice);
    one_block<<<1, THREADS>>>(d_in, d_out, n);
    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_in);
}
