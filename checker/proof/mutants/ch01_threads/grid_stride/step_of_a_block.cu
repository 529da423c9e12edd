// expect: written-twice
// The step is one block, so later blocks repeat the work of earlier ones.

extern "C" __global__ void grid_stride(const float* a, const float* b, float* out, int n) {
    const size_t stride = blockDim.x;

    for (size_t idx = size_t(blockIdx.x) * blockDim.x + threadIdx.x; idx < n; idx += stride) {
        out[idx] = sqrtf(a[idx] * a[idx] + b[idx] * b[idx]);
    }
}
