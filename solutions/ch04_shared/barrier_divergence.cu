// Idea    a spare thread has no element but still reaches both barriers. It stores a 0, which
//         changes no sum.
// Work    one load and one store for each element; two barriers; thread 0 adds up alone.
// Notice  there are two guards now, one for the load and one for the store. Neither contains a
//         barrier.

constexpr int BLOCK = 256;  // threads of a block

extern "C" __global__ void barrier_divergence(const float* in, float* out, int n) {
    __shared__ float tile[BLOCK];  // the block's slice
    __shared__ float total;        // its sum: one number for the whole block

    const int tid = threadIdx.x;               // place in the block, 0 .. BLOCK-1
    const int idx = blockIdx.x * BLOCK + tid;  // place in the array, 0 .. at least n-1

    // Don't write `if (idx >= n) return;`: the barriers below need every thread.
    tile[tid] = idx < n ? in[idx] : 0.0f;
    __syncthreads();  // the slice is complete before thread 0 adds it up

    if (tid == 0) {
        float sum = 0.0f;
        for (int i = 0; i < BLOCK; ++i) {
            sum += tile[i];
        }
        total = sum;
    }
    __syncthreads();  // the sum is complete before any thread divides by it

    if (idx < n) {
        out[idx] = tile[tid] / total;
    }
}
