// expect: wrong-values
// Has no loop, so elements beyond the grid's size are left out.

extern "C" __global__ void grid_stride(const float* a, const float* b, float* out, int n) {
    const size_t idx = size_t(blockIdx.x) * blockDim.x + threadIdx.x;

    if (idx < n) {
        out[idx] = sqrtf(a[idx] * a[idx] + b[idx] * b[idx]);
    }
}
