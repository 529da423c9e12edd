// expect: gate-missed
// One thread adds up all the slots: nothing diverges, and nobody helps.

constexpr int BLOCK = 256;

extern "C" __global__ void reduce_tree(const float* in, float* out, int n) {
    __shared__ float tile[BLOCK];

    const int tid = threadIdx.x;
    const int idx = blockIdx.x * BLOCK + tid;

    tile[tid] = idx < n ? in[idx] : 0.0f;
    __syncthreads();

    if (tid == 0) {
        float acc = tile[0];
        for (int i = 1; i < BLOCK; i++) {
            acc += tile[i];
        }
        tile[0] = acc;
    }

    if (tid == 0) {
        out[blockIdx.x] = tile[0];
    }
}
