// The program scans the tiles, scans the tiles' totals, and adds the sum of all earlier tiles to
// each element. The totals are just another array, so the same kernel scans them. A launch begins
// when the previous launch has ended, so the end of a launch is like a barrier for the whole grid.
// The scan takes n loads and n stores, and adding the carry takes n more loads and n more stores.
// The launch that scans the totals processes one more tile.

constexpr int THREADS = 256;       // threads per block
constexpr int TILE = 2 * THREADS;  // elements per block

// The slot of element i of a tile in shared memory. After every 32 slots, one slot stays unused, so
// that elements whose distance is a power of two are in different banks.
__device__ int slot(int i) {
    return i + i / 32;
}

// Computes the prefix sums within each tile, and stores each tile's sum in `totals` unless that is
// a null pointer. in, out: [n]; totals: [tiles]. Launch one block for each tile.
__global__ void scan_tiles(const int* in, int* out, int* totals, int n) {
    __shared__ int tile[TILE + TILE / 32];

    const int tid = threadIdx.x;          // 0 .. THREADS-1
    const int first = blockIdx.x * TILE;  // where my tile begins in `in`

    int own[2] = {0, 0};  // my two elements, THREADS apart; 0 beyond the end of `in`
    for (int k = 0; k < 2; k++) {
        const int i = tid + k * THREADS;
        if (first + i < n) {
            own[k] = in[first + i];
        }
        tile[slot(i)] = own[k];
    }

    // Up-sweep: the last slot of every run of 2 * stride slots gets the sum of the run.
    for (int stride = 1; stride < TILE; stride *= 2) {
        __syncthreads();  // the sums of the previous round are ready
        const int end = 2 * stride * (tid + 1) - 1;
        if (end < TILE) {
            tile[slot(end)] += tile[slot(end - stride)];
        }
    }

    // The down-sweep starts with the sum of all slots before the tile, which is 0.
    __syncthreads();  // the sum of the whole tile is ready
    if (tid == 0) {
        tile[slot(TILE - 1)] = 0;
    }

    // Down-sweep: the last slot of a run's first half gets the sum of all slots before the run, and
    // the last slot of the run gets this sum plus the sum of the first half.
    for (int stride = TILE / 2; stride > 0; stride /= 2) {
        __syncthreads();  // all sums of the previous round are ready
        const int end = 2 * stride * (tid + 1) - 1;
        if (end < TILE) {
            const int before = tile[slot(end)];
            tile[slot(end)] = before + tile[slot(end - stride)];
            tile[slot(end - stride)] = before;
        }
    }
    __syncthreads();  // every slot contains the sum of all slots before it

    for (int k = 0; k < 2; k++) {
        const int i = tid + k * THREADS;
        if (first + i < n) {
            out[first + i] = tile[slot(i)] + own[k];
        }
    }

    if (totals != nullptr && tid == THREADS - 1) {
        totals[blockIdx.x] = tile[slot(TILE - 1)] + own[1];
    }
}

// Adds the sum of all earlier tiles to each element. out: [n]; upto: [tiles], the prefix sums of
// the tiles' totals.
__global__ void add_carry(int* out, const int* upto, int n) {
    const int first = blockIdx.x * TILE;
    if (blockIdx.x == 0) {
        return;  // no tile precedes the first tile
    }
    const int carry = upto[blockIdx.x - 1];
    for (int i = first + threadIdx.x; i < first + TILE && i < n; i += THREADS) {
        out[i] += carry;
    }
}

extern "C" void scan_blocks(const int* in, int* out, int n) {
    const int tiles = (n + TILE - 1) / TILE;
    const size_t bytes = n * sizeof(int);

    int *d_in, *d_out, *d_totals, *d_upto;
    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMalloc(&d_totals, tiles * sizeof(int));
    cudaMalloc(&d_upto, tiles * sizeof(int));
    cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice);

    scan_tiles<<<tiles, THREADS>>>(d_in, d_out, d_totals, n);
    scan_tiles<<<1, THREADS>>>(d_totals, d_upto, nullptr, tiles);
    add_carry<<<tiles, THREADS>>>(d_out, d_upto, n);

    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_upto);
    cudaFree(d_totals);
    cudaFree(d_out);
    cudaFree(d_in);
}
