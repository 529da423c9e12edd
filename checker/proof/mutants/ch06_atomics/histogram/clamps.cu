// expect: wrong-values
// Puts what is outside the range into the first and the last bin.

constexpr int BINS = 256;

extern "C" __global__ void histogram(const float* in, unsigned* bins, int n) {
    __shared__ unsigned mine[BINS];
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    const size_t me = size_t(blockIdx.x) * blockDim.x + threadIdx.x;

    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        mine[bin] = 0;
    }
    __syncthreads();

    for (size_t idx = me; idx < n; idx += stride) {
        const int bin = int(fminf(fmaxf(in[idx], 0.0f), 0.999f) * BINS);
        atomicAdd(&mine[bin], 1u);
    }
    __syncthreads();

    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        atomicAdd(&bins[bin], mine[bin]);
    }
}
