// expect: wrong-values
// Two atomic operations, and a gap between them.

extern "C" __global__ void counter_race(const float* in, int* hits, int n, float limit) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;

    if (idx < n && in[idx] > limit) {
        const int old = atomicAdd(hits, 0);
        atomicExch(hits, old + 1);
    }
}
