// expect: out-of-bounds-write
// A semicolon ends the if: the guard guards nothing.

extern "C" __global__ void guard(const float* a, float* out, int n) {
    const int idx = threadIdx.x;

    if (idx < n)
        ;
    {
        out[idx] = a[idx] + 10.0f;
    }
}
