// attack: block 0 reads the whole array once more instead of waiting for the parts of the others
// exercise: last_block
// expect: gate-missed
// stopped-by: the bytes that are loaded for each element

constexpr int THREADS = 128;
constexpr int NOTHING = -2147483647 - 1;

struct Best {
    int value;
    int place;
};

__device__ bool is_better(Best a, Best b) {
    return a.value > b.value || (a.value == b.value && a.place < b.place);
}

__device__ Best best_of_block(Best mine) {
    __shared__ Best tile[THREADS];
    __syncthreads();
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

__device__ Best best_of(const int* in, int n, int first, int step) {
    Best mine = {NOTHING, n};
    for (int i = first + threadIdx.x; i < n; i += step) {
        if (is_better({in[i], i}, mine)) {
            mine = {in[i], i};
        }
    }
    return best_of_block(mine);
}

extern "C" __global__ void last_block(const int* in, int* parts, int* places, int* best,
                                      int* finished, int n) {
    const Best part = best_of(in, n, blockIdx.x * THREADS, gridDim.x * THREADS);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = part.value;
        places[blockIdx.x] = part.place;
    }
    if (blockIdx.x == 0) {
        const Best all = best_of(in, n, 0, THREADS);
        if (threadIdx.x == 0) {
            best[0] = all.value;
            best[1] = all.place;
            finished[0] = 0;
        }
    }
}
