// Idea    neighbouring threads take neighbouring elements; the grid steps on by its own width.
// Work    two loads, a root and a store for each element; 4 sectors per request, not 32.
// Notice  the loop's condition is the guard: it holds for too many threads and for too few.

extern "C" __global__ void grid_stride(const float* a, const float* b, float* out, int n) {
    const size_t threads = size_t(gridDim.x) * blockDim.x;            // in the whole grid
    const size_t me = size_t(blockIdx.x) * blockDim.x + threadIdx.x;  // 0 .. threads-1

    for (size_t idx = me; idx < n; idx += threads) {
        out[idx] = sqrtf(a[idx] * a[idx] + b[idx] * b[idx]);
    }
}
