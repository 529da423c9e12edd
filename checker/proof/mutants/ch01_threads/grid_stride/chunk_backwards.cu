// expect: uncoalesced
// Walks through contiguous chunks from their end, so neighbouring threads are far apart.

extern "C" __global__ void grid_stride(const float* a, const float* b, float* out, int n) {
    const size_t threads = size_t(gridDim.x) * blockDim.x;
    const size_t me = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t chunk = (n + threads - 1) / threads;

    for (size_t k = chunk; k > 0; k--) {
        const size_t idx = me * chunk + k - 1;
        if (idx < n) {
            out[idx] = sqrtf(a[idx] * a[idx] + b[idx] * b[idx]);
        }
    }
}
