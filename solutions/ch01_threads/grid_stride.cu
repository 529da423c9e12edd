// Neighbouring threads process neighbouring elements, so a request needs 4 sectors instead of 32.
// After each iteration, `idx` grows by the number of threads in the grid. Each element takes two
// loads, a square root and a store. The loop's condition is also the guard, so the kernel is right
// with too many threads as well as with too few.

extern "C" __global__ void grid_stride(const float* a, const float* b, float* out, int n) {
    const size_t threads = size_t(gridDim.x) * blockDim.x;            // threads in the whole grid
    const size_t me = size_t(blockIdx.x) * blockDim.x + threadIdx.x;  // 0 .. threads-1

    for (size_t idx = me; idx < n; idx += threads) {
        out[idx] = sqrtf(a[idx] * a[idx] + b[idx] * b[idx]);
    }
}
