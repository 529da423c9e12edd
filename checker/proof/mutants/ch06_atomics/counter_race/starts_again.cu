// expect: wrong-values
// Counts right, and forgets what was counted before.

extern "C" __global__ void counter_race(const float* in, int* hits, int n, float limit) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;

    if (idx == 0) {
        int mine = 0;
        for (int i = 0; i < n; i++) {
            mine += in[i] > limit ? 1 : 0;
        }
        hits[0] = mine;
    }
}
