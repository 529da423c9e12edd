// expect: global-race
// Reads with an ordinary access, and writes with an atomic one.

extern "C" __global__ void counter_race(const float* in, int* hits, int n, float limit) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;

    if (idx < n && in[idx] > limit) {
        atomicExch(hits, hits[0] + 1);
    }
}
