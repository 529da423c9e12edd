// expect: uncoalesced
// Each thread does two neighbouring elements, so half of what each request loads is not used.

extern "C" __global__ void grid_stride(const float* a, const float* b, float* out, int n) {
    const size_t threads = size_t(gridDim.x) * blockDim.x;
    const size_t me = size_t(blockIdx.x) * blockDim.x + threadIdx.x;

    for (size_t first = me * 2; first < n; first += threads * 2) {
        for (size_t idx = first; idx < first + 2 && idx < n; idx++) {
            out[idx] = sqrtf(a[idx] * a[idx] + b[idx] * b[idx]);
        }
    }
}
