// expect: wrong-values
// Adds the number instead of counting it.

extern "C" __global__ void counter_race(const float* in, int* hits, int n, float limit) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;

    if (idx < n && in[idx] > limit) {
        atomicAdd(hits, int(in[idx]));
    }
}
