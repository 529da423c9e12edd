extern "C" __global__ void guard(const float* a, float* out, int n) {
    if (threadIdx.x < n) {
        out[threadIdx.x] = sqrtf(a[threadIdx.x] - 1000.0f);
    }
}
