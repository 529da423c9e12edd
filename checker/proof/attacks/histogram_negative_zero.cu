// attack: takes -0 for a number below 0
// exercise: histogram
// expect: wrong-values
// stopped-by: the inputs, which contain -0

constexpr int BINS = 256;

extern "C" __global__ void histogram(const float* in, unsigned* bins, int n) {
    __shared__ unsigned mine[BINS];  // this block's own count

    const size_t stride = size_t(gridDim.x) * blockDim.x;             // threads in the whole grid
    const size_t me = size_t(blockIdx.x) * blockDim.x + threadIdx.x;  // 0 .. stride-1

    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        mine[bin] = 0;
    }
    __syncthreads();  // every bin is 0 before any thread counts

    for (size_t idx = me; idx < n; idx += stride) {
        const float value = in[idx];
        if (value >= 0.0f && !signbit(value) && value < 1.0f) {
            atomicAdd(&mine[int(value * BINS)], 1u);
        }
    }
    __syncthreads();  // every thread has counted before any thread adds to `bins`

    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        atomicAdd(&bins[bin], mine[bin]);
    }
}
