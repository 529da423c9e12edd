// expect: wrong-values
// A guard with a second condition that loses element 0.

extern "C" __global__ void guard(const float* a, float* out, int n) {
    const int idx = threadIdx.x;

    if (idx > 0 && idx < n) {
        out[idx] = a[idx] + 10.0f;
    }
}
