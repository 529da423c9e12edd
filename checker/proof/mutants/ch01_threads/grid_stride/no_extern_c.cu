// expect: wrong-signature
// Lacks extern "C", so the compiler mangles the kernel's name.

__global__ void grid_stride(const float* a, const float* b, float* out, int n) {
    const size_t stride = size_t(gridDim.x) * blockDim.x;

    for (size_t idx = size_t(blockIdx.x) * blockDim.x + threadIdx.x; idx < n; idx += stride) {
        out[idx] = sqrtf(a[idx] * a[idx] + b[idx] * b[idx]);
    }
}
