constexpr int BLOCK = 256;

extern "C" __global__ void reduce_tree(const float* in, float* out, int n) {
    __shared__ float tile[BLOCK];
    const unsigned t = threadIdx.x;
    const unsigned g = blockIdx.x * BLOCK + t;
    float acc = 0.0f;
    if (g < static_cast<unsigned>(n)) {
        acc = in[g];
    }
    tile[t] = acc;
    __syncthreads();

    // unrolled by hand, my threads with work are always the first ones
    if (t < 128) { tile[t] = acc = acc + tile[t + 128]; } __syncthreads();
    if (t < 64) { tile[t] = acc = acc + tile[t + 64]; } __syncthreads();
    if (t < 32) {
        acc += tile[t + 32];
        for (int d = 16; d >= 1; d >>= 1) acc += __shfl_down_sync(~0u, acc, d);
        if (t == 0) out[blockIdx.x] = acc;
    }
}
