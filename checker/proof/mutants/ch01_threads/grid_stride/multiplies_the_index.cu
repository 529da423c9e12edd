// expect: never-finishes
// Writes *= instead of +=, so thread 0 stays at index 0 for ever.

extern "C" __global__ void grid_stride(const float* a, const float* b, float* out, int n) {
    const size_t stride = size_t(gridDim.x) * blockDim.x;

    for (size_t idx = size_t(blockIdx.x) * blockDim.x + threadIdx.x; idx < n; idx *= stride) {
        out[idx] = sqrtf(a[idx] * a[idx] + b[idx] * b[idx]);
    }
}
