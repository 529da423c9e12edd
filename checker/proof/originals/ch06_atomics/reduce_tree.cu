// reduce_tree | chapter 6 | "A tree in rounds"
//
// Goal    out[b] = the sum of block b's elements, with at most 10 divergent branches in a block,
//         and without bank conflicts.
//
// in      [n]     f32, read only
// out     [grid]  f32, one sum for each block
// n       count   any n >= 1; the last block may be only partly full
// launch  grid = ceil(n / BLOCK), block = BLOCK
//
// This kernel is right but wasteful. Which threads of a warp have work in each round?
//
// Run     cargo checker check reduce_tree      Stuck?  cargo checker hint reduce_tree

constexpr int BLOCK = 256;  // threads per block, a power of two

extern "C" __global__ void reduce_tree(const float* in, float* out, int n) {
    __shared__ float tile[BLOCK];  // one slot per thread

    const int tid = threadIdx.x;               // index in the block, 0 .. BLOCK-1
    const int idx = blockIdx.x * BLOCK + tid;  // index in `in`,      0 .. grid*BLOCK-1

    tile[tid] = idx < n ? in[idx] : 0.0f;  // adding 0 doesn't change the sum
    __syncthreads();                       // every slot is filled

    for (int stride = 1; stride < BLOCK; stride *= 2) {
        if (tid % (2 * stride) == 0) {
            tile[tid] += tile[tid + stride];
        }
        __syncthreads();  // every thread has finished this round
    }

    if (tid == 0) {
        out[blockIdx.x] = tile[0];
    }
}
