// expect: uncoalesced
// Has a grid-stride loop over chunks of eight, so neighbouring threads are still 32 bytes apart.

extern "C" __global__ void grid_stride(const float* a, const float* b, float* out, int n) {
    const size_t threads = size_t(gridDim.x) * blockDim.x;
    const size_t me = size_t(blockIdx.x) * blockDim.x + threadIdx.x;

    for (size_t first = me * 8; first < n; first += threads * 8) {
        for (size_t idx = first; idx < first + 8 && idx < n; idx++) {
            out[idx] = sqrtf(a[idx] * a[idx] + b[idx] * b[idx]);
        }
    }
}
