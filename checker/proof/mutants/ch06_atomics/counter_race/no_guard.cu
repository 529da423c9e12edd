// expect: out-of-bounds-read
// The atomic is there, and the guard is gone.

extern "C" __global__ void counter_race(const float* in, int* hits, int n, float limit) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;

    if (in[idx] > limit) {
        atomicAdd(hits, 1);
    }
}
