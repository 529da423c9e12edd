// expect: wrong-values
// No loop: what lies beyond the grid is left out.

extern "C" __global__ void grid_stride(const float* a, const float* b, float* out, int n) {
    const size_t idx = size_t(blockIdx.x) * blockDim.x + threadIdx.x;

    if (idx < n) {
        out[idx] = sqrtf(a[idx] * a[idx] + b[idx] * b[idx]);
    }
}
