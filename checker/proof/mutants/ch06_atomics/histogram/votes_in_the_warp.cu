// expect: gate-missed
// Lanes of one bin add together: still an atomic for each different bin in a warp.

constexpr int BINS = 256;

extern "C" __global__ void histogram(const float* in, unsigned* bins, int n) {
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    const size_t me = size_t(blockIdx.x) * blockDim.x + threadIdx.x;

    for (size_t idx = me; idx < n; idx += stride) {
        const float value = in[idx];
        if (value >= 0.0f && value < 1.0f) {
            const int bin = int(value * BINS);
            const unsigned same = __match_any_sync(__activemask(), bin);
            if ((threadIdx.x % 32) == __ffs(same) - 1) {
                atomicAdd(&bins[bin], unsigned(__popc(same)));
            }
        }
    }
}
