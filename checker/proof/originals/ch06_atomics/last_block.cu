// last_block | chapter 6 | "The last block finishes the work"
//
// Goal    store the largest element of `in` and its index in `best`, in one launch. If several
//         elements are the largest, choose the one with the smallest index.
//
// in        [n]     i32, read only
// parts     [grid]  i32, the largest element of each block
// places    [grid]  i32, the index of this element in `in`
// best      [2]     i32, the largest element and its index
// finished  [1]     i32, is 0 at the start, and must be 0 at the end, for the next launch
// n         count   at least 1
// launch    any number of blocks of THREADS threads; there may be more than THREADS blocks
//
// You don't have to change best_of_block, which a block can call more than once. If a block has no
// elements, its largest element is NOTHING, at the index n.
//
// Run     cargo checker check last_block       Stuck?  cargo checker hint last_block

constexpr int THREADS = 128;
constexpr int NOTHING = -2147483647 - 1;  // the smallest int

struct Best {
    int value;
    int place;
};

__device__ bool is_better(Best a, Best b) {
    return a.value > b.value || (a.value == b.value && a.place < b.place);
}

// All threads of a block must call this function. It returns the best of the values they pass.
__device__ Best best_of_block(Best mine) {
    __shared__ Best tile[THREADS];
    __syncthreads();  // all threads have returned from an earlier call
    tile[threadIdx.x] = mine;
    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        __syncthreads();
        if (threadIdx.x < stride && is_better(tile[threadIdx.x + stride], tile[threadIdx.x])) {
            tile[threadIdx.x] = tile[threadIdx.x + stride];
        }
    }
    __syncthreads();
    return tile[0];
}

extern "C" __global__ void last_block(const int* in, int* parts, int* places, int* best,
                                      int* finished, int n) {
    __shared__ bool last;  // whether this block is the last one to finish

    Best mine = {NOTHING, n};
    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
        if (is_better({in[i], i}, mine)) {
            mine = {in[i], i};
        }
    }
    const Best part = best_of_block(mine);

    // TODO 1: one thread stores the block's result in `parts` and `places` and takes a ticket. What
    //         must be true before another block can see the ticket?

    // TODO 2: all threads of the block must know whether the block has the last ticket.

    // TODO 3: the last block finds the best of all parts, for any number of parts. What must it do
    //         for the next launch?
}
