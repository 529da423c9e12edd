// expect: written-twice
// Spare threads all redo the last element. Right, but not what a guard is.

extern "C" __global__ void guard(const float* a, float* out, int n) {
    const int idx = min(int(threadIdx.x), n - 1);

    out[idx] = a[idx] + 10.0f;
}
