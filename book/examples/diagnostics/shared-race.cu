extern "C" __global__ void guard(const float* a, float* out, int n) {
    __shared__ float tile[1024];
    const int idx = threadIdx.x;
    tile[idx] = idx < n ? a[idx] : 0.0f;
    if (idx < n) {
        out[idx] = tile[1023 - idx];
    }
}
