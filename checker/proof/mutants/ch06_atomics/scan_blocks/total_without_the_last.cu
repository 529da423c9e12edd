// expect: wrong-values
// The total of a tile without its last element.

constexpr int THREADS = 256;       // threads per block
constexpr int TILE = 2 * THREADS;  // elements per block

// Where element i of a tile lies in shared memory: one slot is left out after every 32, so that
// strides of powers of two do not stay in one bank.
__device__ int slot(int i) {
    return i + i / 32;
}

// The sums so far within each tile. in, out: [n]; totals: the sum of each tile, for those who ask.
// launch: a block for each tile.
__global__ void scan_tiles(const int* in, int* out, int* totals, int n) {
    __shared__ int tile[TILE + TILE / 32];

    const int tid = threadIdx.x;          // 0 .. THREADS-1
    const int first = blockIdx.x * TILE;  // where my tile begins in `in`

    int own[2] = {0, 0};  // my two elements, THREADS apart; 0 changes no sum
    for (int k = 0; k < 2; k++) {
        const int i = tid + k * THREADS;
        if (first + i < n) {
            own[k] = in[first + i];
        }
        tile[slot(i)] = own[k];
    }

    // Up: at the end of every run of 2 * stride slots lies the sum of the run.
    for (int stride = 1; stride < TILE; stride *= 2) {
        __syncthreads();  // the runs of the round before are ready
        const int end = 2 * stride * (tid + 1) - 1;
        if (end < TILE) {
            tile[slot(end)] += tile[slot(end - stride)];
        }
    }

    // The end of the tile hands down what lies before it: nothing.
    __syncthreads();  // the sum of the whole tile is ready
    if (tid == 0) {
        tile[slot(TILE - 1)] = 0;
    }

    // Down: the first half of a run gets what lies before the run; the second half gets that, and
    // the first half's sum.
    for (int stride = TILE / 2; stride > 0; stride /= 2) {
        __syncthreads();  // the longer runs know what lies before them
        const int end = 2 * stride * (tid + 1) - 1;
        if (end < TILE) {
            const int before = tile[slot(end)];
            tile[slot(end)] = before + tile[slot(end - stride)];
            tile[slot(end - stride)] = before;
        }
    }
    __syncthreads();  // every slot holds the sum of all slots before it

    for (int k = 0; k < 2; k++) {
        const int i = tid + k * THREADS;
        if (first + i < n) {
            out[first + i] = tile[slot(i)] + own[k];
        }
    }

    if (totals != nullptr && tid == THREADS - 1) {
        totals[blockIdx.x] = tile[slot(TILE - 1)];
    }
}

// Adds to each tile what all the tiles before it add up to. out: [n], upto: [tiles].
__global__ void add_carry(int* out, const int* upto, int n) {
    const int first = blockIdx.x * TILE;
    if (blockIdx.x == 0) {
        return;  // nothing lies before the first tile
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
