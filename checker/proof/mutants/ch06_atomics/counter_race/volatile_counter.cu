// expect: wrong-values
// volatile: every access happens, and others still come between.

extern "C" __global__ void counter_race(const float* in, volatile int* hits, int n, float limit) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;

    if (idx < n && in[idx] > limit) {
        hits[0] = hits[0] + 1;
    }
}
