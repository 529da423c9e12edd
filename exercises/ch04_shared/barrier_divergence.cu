// barrier_divergence | chapter 4 | "Every thread reaches the barrier"
//
// Goal    divide each element of `in` by the sum of its slice. Each block has one slice.
//
// in      [n]  f32, positive, read only
// out     [n]  f32, every element must be written
// n       count  any n >= 1; the last block may be only partly full
// launch  ceil(n / BLOCK) blocks of BLOCK threads
//
// This kernel is right only if the last block is full.
//
// Run     cargo checker check barrier_divergence    Stuck?  cargo checker hint barrier_divergence

constexpr int BLOCK = 256;  // threads of a block

extern "C" __global__ void barrier_divergence(const float* in, float* out, int n) {
    __shared__ float tile[BLOCK];  // the block's slice
    __shared__ float total;        // the slice's sum: one number for the block

    const int tid = threadIdx.x;               // index in the block, 0 .. BLOCK-1
    const int idx = blockIdx.x * BLOCK + tid;  // index in the array, 0 .. at least n-1

    if (idx >= n) {
        return;
    }

    tile[tid] = in[idx];
    __syncthreads();  // the slice is complete before thread 0 adds it up

    if (tid == 0) {
        float sum = 0.0f;
        for (int i = 0; i < BLOCK; ++i) {
            sum += tile[i];
        }
        total = sum;
    }
    __syncthreads();  // the sum is complete before any thread divides by it

    out[idx] = tile[tid] / total;
}
