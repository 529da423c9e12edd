// Idea    atomicAdd reads, adds and writes back in one step that no other thread can interrupt.
// Work    one load for each element, one atomic addition for each hit.
// Notice  atomics on one address queue up, so this is right but slow: every hit waits its turn.

extern "C" __global__ void counter_race(const float* in, int* hits, int n, float limit) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;  // 0 .. grid*block-1

    if (idx < n && in[idx] > limit) {
        atomicAdd(hits, 1);
    }
}
