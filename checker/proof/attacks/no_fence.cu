// attack: passes the parts to the last block by relaxed stores and loads, and orders them with nothing
// exercise: last_block
// expect: global-race
// stopped-by: accesses to these arrays must be ordered, even if they are atomic

struct Best {
    int value;
    int place;
};

__device__ bool is_better(Best a, Best b) {
    return a.value > b.value || (a.value == b.value && a.place < b.place);
}

__device__ int relaxed_load(const int* p) {
    int value;
    asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}

__device__ void relaxed_store(int* p, int value) {
    asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
}

extern "C" __global__ void last_block(const int* in, int* parts, int* places, int* best, int* finished, int n) {
    if (threadIdx.x > 0) {
        return;
    }
    Best mine = {-2147483647 - 1, n};
    for (int block = blockIdx.x; block * 128 < n; block += gridDim.x) {
        for (int i = block * 128; i < min(n, block * 128 + 128); ++i) {
            if (is_better({in[i], i}, mine)) {
                mine = {in[i], i};
            }
        }
    }
    relaxed_store(parts + blockIdx.x, mine.value);
    relaxed_store(places + blockIdx.x, mine.place);
    if (atomicAdd(finished, 1) == gridDim.x - 1) {
        for (int i = 0; i < gridDim.x; ++i) {
            const Best part = {relaxed_load(parts + i), relaxed_load(places + i)};
            if (is_better(part, mine)) {
                mine = part;
            }
        }
        best[0] = mine.value;
        best[1] = mine.place;
        *finished = 0;
    }
}
