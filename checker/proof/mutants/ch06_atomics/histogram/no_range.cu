// expect: out-of-bounds-write
// Elements outside the range land outside the bins.

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
        atomicAdd(&mine[int(in[idx] * BINS)], 1u);
    }
    __syncthreads();

    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        atomicAdd(&bins[bin], mine[bin]);
    }
}
