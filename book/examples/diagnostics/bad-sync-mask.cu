extern "C" __global__ void guard(const float* a, float* out, int n) {
    const int idx = threadIdx.x;
    float value = idx < n ? a[idx] + 10.0f : 0.0f;
    value = __shfl_sync(0x0000ffff, value, idx % 32);  // the mask names 16 of 32 lanes
    if (idx < n) {
        out[idx] = value;
    }
}
