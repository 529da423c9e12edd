// expect: gate-missed
// All threads of a block add to one slot, one after the other.

constexpr int BLOCK = 256;

extern "C" __global__ void reduce_tree(const float* in, float* out, int n) {
    __shared__ float tile[BLOCK];

    const int tid = threadIdx.x;
    const int idx = blockIdx.x * BLOCK + tid;

    if (tid == 0) {
        tile[0] = 0.0f;
    }
    __syncthreads();

    if (idx < n) {
        atomicAdd(&tile[0], in[idx]);
    }
    __syncthreads();

    if (tid == 0) {
        out[blockIdx.x] = tile[0];
    }
}
