// scan_blocks | chapter 6 | "Prefix sums over many blocks"
//
// Goal    compute out[i] = in[0] + in[1] + ... + in[i], in at most three launches and without bank
//         conflicts.
//
// in      [n]  i32, in the host's memory, read only
// out     [n]  i32, in the host's memory, every element must be written
// n       count  1 to TILE * TILE
//
// scan_tiles computes the prefix sums within each tile, so the sums of each tile begin at 0 again.
// The program doesn't yet add the carry, which is the sum of all earlier tiles.
//
// Run     cargo checker check scan_blocks      Stuck?  cargo checker hint scan_blocks

constexpr int THREADS = 256;       // threads per block
constexpr int TILE = 2 * THREADS;  // elements per block

// The slot of element i of a tile in shared memory.
// TODO 4: the strides are powers of two. Which elements are in the same bank, and in which other
//         slots could you store them?
__device__ int slot(int i) {
    return i;
}

// Computes the prefix sums within each tile. in, out: [n]. Launch one block for each tile.
__global__ void scan_tiles(const int* in, int* out, int n) {
    __shared__ int tile[TILE];

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

    // TODO 1: which thread has the sum of the whole tile, and where can a later launch read it?
}

// TODO 2: write a kernel that adds the sum of all earlier tiles to every element of a tile.

extern "C" void scan_blocks(const int* in, int* out, int n) {
    const int tiles = (n + TILE - 1) / TILE;
    const size_t bytes = n * sizeof(int);

    int *d_in, *d_out;
    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice);

    scan_tiles<<<tiles, THREADS>>>(d_in, d_out, n);
    // TODO 3: find the sum of all earlier tiles for each tile. Which shorter array do you scan?

    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_in);
}
