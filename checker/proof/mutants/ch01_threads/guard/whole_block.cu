// expect: output-not-written
// Asks whether the block fits, not whether this element exists.

extern "C" __global__ void guard(const float* a, float* out, int n) {
    const int idx = threadIdx.x;

    if (blockDim.x <= n) {
        out[idx] = a[idx] + 10.0f;
    }
}
