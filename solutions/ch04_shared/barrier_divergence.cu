// A thread without an element still reaches both barriers, and it stores a 0, which doesn't change
// the sum. Two guards replace the `return`, one for the load and one for the store, and neither of
// them contains a barrier. Each element needs one load and one store. Each block waits at two
// barriers, and thread 0 adds up the slice between them.

constexpr int BLOCK = 256;  // threads in a block

extern "C" __global__ void barrier_divergence(const float* in, float* out, int n) {
    __shared__ float tile[BLOCK];  // the block's slice
    __shared__ float total;        // the slice's sum: one number for the block

    const int tid = threadIdx.x;               // index in the block, 0 .. BLOCK-1
    const int idx = blockIdx.x * BLOCK + tid;  // index in the array, 0 .. at least n-1

    // Don't write `if (idx >= n) return;`, because the barriers below need every thread.
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
