// expect: wrong-values
// Is right for 4 blocks of 128 threads only.

extern "C" __global__ void grid_stride(const float* a, const float* b, float* out, int n) {
    const size_t stride = 512;

    for (size_t idx = size_t(blockIdx.x) * blockDim.x + threadIdx.x; idx < n; idx += stride) {
        out[idx] = sqrtf(a[idx] * a[idx] + b[idx] * b[idx]);
    }
}
