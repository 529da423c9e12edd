// expect: compile-error
// Uses ^ as a power, but it is exclusive or in C++ and not defined for floats.

extern "C" __global__ void grid_stride(const float* a, const float* b, float* out, int n) {
    const size_t stride = size_t(gridDim.x) * blockDim.x;

    for (size_t idx = size_t(blockIdx.x) * blockDim.x + threadIdx.x; idx < n; idx += stride) {
        out[idx] = sqrtf(a[idx] ^ 2 + b[idx] ^ 2);
    }
}
