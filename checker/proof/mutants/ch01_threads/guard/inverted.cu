// expect: out-of-bounds-write
// The comparison the wrong way round: only the spare threads work.

extern "C" __global__ void guard(const float* a, float* out, int n) {
    const int idx = threadIdx.x;

    if (idx >= n) {
        out[idx] = a[idx] + 10.0f;
    }
}
