// expect: out-of-bounds-write
// Right for the first case only: n is not always 1000.

extern "C" __global__ void guard(const float* a, float* out, int n) {
    const int idx = threadIdx.x;

    if (idx < 1000) {
        out[idx] = a[idx] + 10.0f;
    }
}
