extern "C" __global__ void guard(const float* a, float* out, int n) {
    for (int i = threadIdx.x; i < n; i += 0) {
        out[i] = a[i] + 10.0f;
    }
}
