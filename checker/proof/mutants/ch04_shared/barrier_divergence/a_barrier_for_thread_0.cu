// expect: barrier-not-reached
// The second barrier is in the `if` of the one thread that adds up.

constexpr int BLOCK = 256;  // threads of a block

extern "C" __global__ void barrier_divergence(const float* in, float* out, int n) {
    __shared__ float tile[BLOCK];  // the block's slice
    __shared__ float total;        // its sum: one number for the whole block

    const int tid = threadIdx.x;               // place in the block, 0 .. BLOCK-1
    const int idx = blockIdx.x * BLOCK + tid;  // place in the array, 0 .. at least n-1

    // Not `if (idx >= n) return;`: a thread that leaves would be missed at the barriers below.
    tile[tid] = idx < n ? in[idx] : 0.0f;
    __syncthreads();  // the slice is complete before thread 0 adds it up

    if (tid == 0) {
        float sum = 0.0f;
        for (int i = 0; i < BLOCK; ++i) {
            sum += tile[i];
        }
        total = sum;
        __syncthreads();
    }

    if (idx < n) {
        out[idx] = tile[tid] / total;
    }
}
