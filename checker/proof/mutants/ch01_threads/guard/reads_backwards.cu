// expect: out-of-bounds-read
// Reads from the far end, and counts that end from n.

extern "C" __global__ void guard(const float* a, float* out, int n) {
    const int idx = threadIdx.x;

    if (idx < n) {
        out[idx] = a[n - idx] + 10.0f;
    }
}
