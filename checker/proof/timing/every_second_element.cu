// exercise: reduce_tree
// expect: wrong
// Adds up half of the elements, which the tolerance must not allow.
extern "C" __global__ void reduce_tree(const float* in, float* out, int n) {
    __shared__ float tile[256];
    const int tid = threadIdx.x;
    float mine = 0.0f;
    for (int k = 0; k < 8; k += 2) {
        const int idx = blockIdx.x * 2048 + tid + k * 256;
        mine += idx < n ? 2.0f * in[idx] : 0.0f;
    }
    tile[tid] = mine;
    __syncthreads();
    for (int stride = 128; stride > 0; stride /= 2) {
        if (tid < stride) {
            tile[tid] += tile[tid + stride];
        }
        __syncthreads();
    }
    if (tid == 0) {
        out[blockIdx.x] = tile[0];
    }
}
