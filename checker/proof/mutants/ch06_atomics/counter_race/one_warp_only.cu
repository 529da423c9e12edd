// expect: global-race
// Lane 0 adds for its whole warp: right with one warp, and a race with two.

extern "C" __global__ void counter_race(const float* in, int* hits, int n, float limit) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;

    const unsigned above = __ballot_sync(0xffffffffu, idx < n && in[idx] > limit);
    if (threadIdx.x % 32 == 0) {
        hits[0] += __popc(above);
    }
}
