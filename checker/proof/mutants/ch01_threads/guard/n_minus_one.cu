// expect: wrong-values
// Off by one the other way: the last element is left out.

extern "C" __global__ void guard(const float* a, float* out, int n) {
    const int idx = threadIdx.x;

    if (idx < n - 1) {
        out[idx] = a[idx] + 10.0f;
    }
}
