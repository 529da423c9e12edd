// expect: wrong-values
// Adds the wrong number.

extern "C" __global__ void guard(const float* a, float* out, int n) {
    const int idx = threadIdx.x;

    if (idx < n) {
        out[idx] = a[idx] + 1.0f;
    }
}
