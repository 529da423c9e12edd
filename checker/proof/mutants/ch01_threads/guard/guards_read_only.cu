// expect: out-of-bounds-write
// Guards the load, then stores whatever it has past the end.

extern "C" __global__ void guard(const float* a, float* out, int n) {
    const int idx = threadIdx.x;

    const float value = idx < n ? a[idx] : 0.0f;

    out[idx] = value + 10.0f;
}
