// expect: wrong-values
// Adds the sides, although that is not the root of the sum of their squares.

extern "C" __global__ void grid_stride(const float* a, const float* b, float* out, int n) {
    const size_t stride = size_t(gridDim.x) * blockDim.x;

    for (size_t idx = size_t(blockIdx.x) * blockDim.x + threadIdx.x; idx < n; idx += stride) {
        out[idx] = fabsf(a[idx]) + fabsf(b[idx]);
    }
}
