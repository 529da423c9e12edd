// expect: bank-conflict
// Neighbouring threads work, and the slots that they touch are far apart.

constexpr int BLOCK = 256;

extern "C" __global__ void reduce_tree(const float* in, float* out, int n) {
    __shared__ float tile[BLOCK];

    const int tid = threadIdx.x;
    const int idx = blockIdx.x * BLOCK + tid;

    tile[tid] = idx < n ? in[idx] : 0.0f;
    __syncthreads();

    for (int stride = 1; stride < BLOCK; stride *= 2) {
        const int left = 2 * stride * tid;
        if (left < BLOCK) {
            tile[left] += tile[left + stride];
        }
        __syncthreads();
    }

    if (tid == 0) {
        out[blockIdx.x] = tile[0];
    }
}
