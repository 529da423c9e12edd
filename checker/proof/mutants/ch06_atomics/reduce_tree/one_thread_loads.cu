// expect: gate-missed
// One thread reads and adds all: the block is for nothing.

constexpr int BLOCK = 256;

extern "C" __global__ void reduce_tree(const float* in, float* out, int n) {
    __shared__ float tile[BLOCK];

    const int tid = threadIdx.x;
    const int idx = blockIdx.x * BLOCK + tid;

    if (tid == 0) {
        float acc = 0.0f;
        for (int i = idx; i < idx + BLOCK && i < n; i++) {
            acc += in[i];
        }
        tile[0] = acc;
    }

    if (tid == 0) {
        out[blockIdx.x] = tile[0];
    }
}
