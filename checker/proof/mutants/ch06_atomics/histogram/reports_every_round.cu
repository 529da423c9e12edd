// expect: gate-missed
// Writes the bins after each element, which is more work than before.

constexpr int BINS = 256;

extern "C" __global__ void histogram(const float* in, unsigned* bins, int n) {
    __shared__ unsigned mine[BINS];
    const size_t stride = size_t(gridDim.x) * blockDim.x;

    for (size_t first = size_t(blockIdx.x) * blockDim.x; first < n; first += stride) {
        for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
            mine[bin] = 0;
        }
        __syncthreads();
        const size_t idx = first + threadIdx.x;
        const float value = idx < n ? in[idx] : -1.0f;
        if (value >= 0.0f && value < 1.0f) {
            atomicAdd(&mine[int(value * BINS)], 1u);
        }
        __syncthreads();
        for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
            atomicAdd(&bins[bin], mine[bin]);
        }
        __syncthreads();
    }
}
