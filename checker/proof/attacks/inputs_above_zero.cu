// attack: the sign of the limit is ignored
// exercise: counter_race
// expect: wrong-values
// stopped-by: inputs of this kind in one of the cases

extern "C" __global__ void counter_race(const float* in, int* hits, int n, float limit) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;  // 0 .. grid*block-1

    if (idx < n && in[idx] > fabsf(limit)) {
        atomicAdd(hits, 1);
    }
}
