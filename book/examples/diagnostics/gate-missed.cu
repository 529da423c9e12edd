extern "C" __global__ void guard(const float* a, float* out, int n) {
    const int idx = threadIdx.x;
    if (idx < n) {
        out[idx] = a[idx] + 10.0f + 0.0f * a[n - 1 - idx];  // right, but reads twice as much
    }
}
