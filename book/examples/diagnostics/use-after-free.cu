extern "C" __global__ void guard(const float* a, float* out, int n) {
    if (threadIdx.x < n) {
        float* copy = (float*)malloc(sizeof(float));
        *copy = a[threadIdx.x] + 10.0f;
        free(copy);
        out[threadIdx.x] = *copy;
    }
}
