// reduce_tree | chapter 6 | "A tree in rounds"
//
// Goal    compute out[b] = the sum of block b's elements, with at most 10 divergent branches and 48
//         requests to shared memory in a block, and without bank conflicts.
//
// in      [n]     f32, read only
// out     [grid]  f32, one sum for each block
// n       count   any n >= 1; the last block may be only partly full
// launch  grid = ceil(n / (TILES * BLOCK)), block = BLOCK
//
// This kernel is right but wasteful. It executes a whole tree, with a barrier in each round, for
// every 256 elements, and most lanes are idle. Which lanes of a warp have work in each round?
//
// Run     cargo checker check reduce_tree      Stuck?  cargo checker hint reduce_tree

constexpr int BLOCK = 256;  // threads per block, a power of two
constexpr int TILES = 8;    // a block adds up TILES * BLOCK elements

extern "C" __global__ void reduce_tree(const float* in, float* out, int n) {
    __shared__ float tile[BLOCK];  // one slot per thread

    const int tid = threadIdx.x;                         // index in the block, 0 .. BLOCK-1
    const int first = blockIdx.x * TILES * BLOCK + tid;  // my element in the block's first tile

    float sum = 0.0f;  // sum of the tiles so far; it is the same in every thread
    for (int k = 0; k < TILES; ++k) {
        const int idx = first + k * BLOCK;     // index in `in`
        tile[tid] = idx < n ? in[idx] : 0.0f;  // adding 0 doesn't change the sum
        __syncthreads();                       // every slot is filled

        for (int stride = 1; stride < BLOCK; stride *= 2) {
            if (tid % (2 * stride) == 0) {
                tile[tid] += tile[tid + stride];
            }
            __syncthreads();  // every thread has finished this round
        }

        sum += tile[0];
        __syncthreads();  // every thread has read the tile's sum
    }

    if (tid == 0) {
        out[blockIdx.x] = sum;
    }
}
