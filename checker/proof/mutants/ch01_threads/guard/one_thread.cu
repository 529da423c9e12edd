// expect: gate-missed
// Thread 0 does everything, so no guard is needed; the result is right, and a thousand times too
// slow.

extern "C" __global__ void guard(const float* a, float* out, int n) {
    if (threadIdx.x == 0) {
        for (int idx = 0; idx < n; idx++) {
            out[idx] = a[idx] + 10.0f;
        }
    }
}
