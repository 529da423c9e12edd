// Idea    neighbouring threads take neighbouring elements; then the whole grid steps on by its own
// width. Work    two loads, three operations, one root and one store for each element; 4 sectors
// per request. Notice  the loop's condition is the guard: it holds for too many threads as well as
// for too few.

extern "C" __global__ void grid_stride(const float* a, const float* b, float* out, int n) {
    const size_t threads = size_t(gridDim.x) * blockDim.x;            // in the whole grid
    const size_t me = size_t(blockIdx.x) * blockDim.x + threadIdx.x;  // 0 .. threads-1

    for (size_t idx = me; idx < n; idx += threads) {
        out[idx] = sqrtf(a[idx] * a[idx] + b[idx] * b[idx]);
    }
}
