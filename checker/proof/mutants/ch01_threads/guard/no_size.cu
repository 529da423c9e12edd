// expect: wrong-signature
// Drops the parameter that was not used.

extern "C" __global__ void guard(const float* a, float* out) {
    const int idx = threadIdx.x;

    if (idx < 1000) {
        out[idx] = a[idx] + 10.0f;
    }
}
