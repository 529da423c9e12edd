extern "C" __global__ void guard(const float* a, float* out, int n) {
    float result = 0.0f;
    if (threadIdx.x < n) {
        result = a[threadIdx.x] + 10.0f;
    }
}
