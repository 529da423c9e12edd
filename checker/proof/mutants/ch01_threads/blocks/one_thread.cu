// expect: gate-missed
// One thread of the whole grid does everything; the result is right.

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        for (int idx = 0; idx < n; idx++) {
            out[idx] = a[idx] + b[idx];
        }
    }
}
