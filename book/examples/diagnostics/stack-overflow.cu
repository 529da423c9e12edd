__device__ __noinline__ float sum(const float* a, int n) {
    return n == 0 ? 0.0f : a[n - 1] + sum(a, n - 1);
}

extern "C" __global__ void guard(const float* a, float* out, int n) {
    if (threadIdx.x < n) {
        out[threadIdx.x] = sum(a, n);
    }
}
