// expect: gate-missed
// One thread counts everything; the result is right.

extern "C" __global__ void counter_race(const float* in, int* hits, int n, float limit) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;

    if (idx == 0) {
        for (int i = 0; i < n; i++) {
            hits[0] += in[i] > limit ? 1 : 0;
        }
    }
}
