// attack: has a number in the code that most cases pass as an argument
// exercise: counter_race
// expect: wrong-values
// stopped-by: cases: each number has at least two values

extern "C" __global__ void counter_race(const float* in, int* hits, int n, float limit) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n && in[idx] > 2.5f) {
        atomicAdd(hits, 1);
    }
}
