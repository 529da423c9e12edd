// expect: wrong-values
// Squares integers, which loses the fractions.

extern "C" __global__ void grid_stride(const float* a, const float* b, float* out, int n) {
    const size_t stride = size_t(gridDim.x) * blockDim.x;

    for (size_t idx = size_t(blockIdx.x) * blockDim.x + threadIdx.x; idx < n; idx += stride) {
        out[idx] = sqrtf(float(int(a[idx]) * int(a[idx]) + int(b[idx]) * int(b[idx])));
    }
}
