// exercise: grid_stride
// expect: wrong
// Computes only in every fourth period of 100 milliseconds.
extern "C" __global__ void grid_stride(const float* a, const float* b, float* out, int n) {
    const size_t threads = size_t(gridDim.x) * blockDim.x;
    const size_t me = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    unsigned long long now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    if (now / 100000000 % 4 != 0) {
        return;
    }
    for (size_t idx = me; idx < n; idx += threads) {
        out[idx] = sqrtf(a[idx] * a[idx] + b[idx] * b[idx]);
    }
}
