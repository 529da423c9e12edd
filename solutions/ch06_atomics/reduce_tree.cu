// Each round adds the upper half of the active slots to the lower half, so the threads with work
// are neighbours. While at least 32 threads have work, each warp is either busy or idle as a whole.
// The tree needs BLOCK - 1 additions in log2(BLOCK) rounds with one barrier each. The number of
// additions is the same as before, but other threads do them.

constexpr int BLOCK = 256;  // threads per block, a power of two

extern "C" __global__ void reduce_tree(const float* in, float* out, int n) {
    __shared__ float tile[BLOCK];  // one slot per thread

    const int tid = threadIdx.x;               // index in the block, 0 .. BLOCK-1
    const int idx = blockIdx.x * BLOCK + tid;  // index in `in`,      0 .. grid*BLOCK-1

    tile[tid] = idx < n ? in[idx] : 0.0f;  // adding 0 doesn't change the sum
    __syncthreads();                       // every slot is filled

    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (tid < stride) {
            tile[tid] += tile[tid + stride];
        }
        __syncthreads();  // every thread has finished this round
    }

    if (tid == 0) {
        out[blockIdx.x] = tile[0];
    }
}
