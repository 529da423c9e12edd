constexpr int BLOCK = 256;  // threads per block, a power of two

extern "C" __global__ void reduce_tree(const float* in, float* out, int n) {
    __shared__ float tile[BLOCK];  // one slot per thread

    const int tid = threadIdx.x;               // place in the block, 0 .. BLOCK-1
    const int idx = blockIdx.x * BLOCK + tid;  // place in `in`,      0 .. grid*BLOCK-1

    tile[tid] = idx < n ? in[idx] : 0.0f;  // adding 0 doesn't change the sum
    __syncthreads();                       // every slot is filled

    for (int round = 7; round >= 0; round--) {
        const int width = 1 << round;
        const bool works = tid / width == 0;
        float sum = works ? tile[tid] + tile[width | tid] : 0.0f;
        __syncthreads();
        if (works) {
            tile[tid] = sum;
        }
        __syncthreads();
    }

    if (tid == 0) {
        out[blockIdx.x] = tile[0];
    }
}
