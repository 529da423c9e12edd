// Idea    reading, adding and writing back are one step that nobody can come between.
// Work    one load for each element, one atomic addition for each hit.
// Notice  atomics on one address queue up: right at once, and slow when everybody wants it.

extern "C" __global__ void counter_race(const float* in, int* hits, int n, float limit) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;  // 0 .. grid*block-1

    if (idx < n && in[idx] > limit) {
        atomicAdd(hits, 1);
    }
}
