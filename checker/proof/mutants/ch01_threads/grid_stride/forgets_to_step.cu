// expect: never-finishes
// The loop never increments its index.

extern "C" __global__ void grid_stride(const float* a, const float* b, float* out, int n) {
    const size_t idx = size_t(blockIdx.x) * blockDim.x + threadIdx.x;

    while (idx < n) {
        out[idx] = sqrtf(a[idx] * a[idx] + b[idx] * b[idx]);
        __threadfence();
    }
}
