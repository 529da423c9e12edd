// expect: wrong-values
// Rounds n down to whole warps: right by luck when 32 divides n.

extern "C" __global__ void guard(const float* a, float* out, int n) {
    const int idx = threadIdx.x;

    if (idx / 32 < n / 32) {
        out[idx] = a[idx] + 10.0f;
    }
}
