// expect: out-of-bounds-write
// The same off by one, as an early return.

extern "C" __global__ void guard(const float* a, float* out, int n) {
    const int idx = threadIdx.x;

    if (idx > n) {
        return;
    }
    out[idx] = a[idx] + 10.0f;
}
