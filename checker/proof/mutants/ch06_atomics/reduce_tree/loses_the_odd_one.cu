// expect: wrong-values
// Halves the number of elements: when it is odd, the last one is lost.

constexpr int BLOCK = 256;

extern "C" __global__ void reduce_tree(const float* in, float* out, int n) {
    __shared__ float tile[BLOCK];

    const int tid = threadIdx.x;
    const int idx = blockIdx.x * BLOCK + tid;

    tile[tid] = idx < n ? in[idx] : 0.0f;
    __syncthreads();

    int live = n - blockIdx.x * BLOCK;
    if (live > BLOCK) {
        live = BLOCK;
    }
    for (; live > 1; live /= 2) {
        const int half = live / 2;
        if (tid < half) {
            tile[tid] += tile[tid + half];
        }
        __syncthreads();
    }

    if (tid == 0) {
        out[blockIdx.x] = tile[0];
    }
}
