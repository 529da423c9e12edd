// expect: uninitialised-read
// One thread per bin: right as long as there are as many threads as bins.

constexpr int BINS = 256;

extern "C" __global__ void histogram(const float* in, unsigned* bins, int n) {
    __shared__ unsigned mine[BINS];
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    const size_t me = size_t(blockIdx.x) * blockDim.x + threadIdx.x;

    mine[threadIdx.x] = 0;
    __syncthreads();

    for (size_t idx = me; idx < n; idx += stride) {
        const float value = in[idx];
        if (value >= 0.0f && value < 1.0f) {
            atomicAdd(&mine[int(value * BINS)], 1u);
        }
    }
    __syncthreads();

    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        atomicAdd(&bins[bin], mine[bin]);
    }
}
