// expect: written-twice
// Spare threads wrap round to the start and do the first elements again.

extern "C" __global__ void guard(const float* a, float* out, int n) {
    const int idx = threadIdx.x % n;

    out[idx] = a[idx] + 10.0f;
}
