// expect: shared-race
// No barriers once one warp is left, as kernels before Volta had it.

constexpr int BLOCK = 256;

extern "C" __global__ void reduce_tree(const float* in, float* out, int n) {
    __shared__ float tile[BLOCK];

    const int tid = threadIdx.x;
    const int idx = blockIdx.x * BLOCK + tid;

    tile[tid] = idx < n ? in[idx] : 0.0f;
    __syncthreads();

    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (tid < stride) {
            tile[tid] += tile[tid + stride];
        }
        if (stride > 32) {
            __syncthreads();
        }
    }

    if (tid == 0) {
        out[blockIdx.x] = tile[0];
    }
}
