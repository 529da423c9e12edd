// attack: integers are compared as floats
// exercise: last_block
// expect: wrong-values
// stopped-by: inputs of this kind in one of the cases

constexpr int THREADS = 128;
constexpr int NOTHING = -2147483647 - 1;  // the smallest int

struct Best {
    int value;
    int place;
};

__device__ bool is_better(Best a, Best b) {
    return float(a.value) > float(b.value) || (float(a.value) == float(b.value) && a.place < b.place);
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

    if (threadIdx.x == 0) {
        parts[blockIdx.x] = part.value;
        places[blockIdx.x] = part.place;
        __threadfence();  // make the result visible before the ticket
        last = atomicAdd(finished, 1) == gridDim.x - 1;
        __threadfence();  // read the results of other blocks after the ticket
    }

    __syncthreads();  // `last` is set

    if (last) {
        Best all = {NOTHING, n};
        for (int b = threadIdx.x; b < gridDim.x; b += THREADS) {
            if (is_better({parts[b], places[b]}, all)) {
                all = {parts[b], places[b]};
            }
        }
        all = best_of_block(all);
        if (threadIdx.x == 0) {
            best[0] = all.value;
            best[1] = all.place;
            *finished = 0;  // no other block uses it any more
        }
    }
}
