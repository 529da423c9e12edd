// expect: barrier-not-reached
// Only threads with an element reach the barrier that counts.

extern "C" __global__ void counter_race(const float* in, int* hits, int n, float limit) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;

    if (idx < n) {
        const int mine = __syncthreads_count(in[idx] > limit);
        if (threadIdx.x == 0) {
            atomicAdd(hits, mine);
        }
    }
}
