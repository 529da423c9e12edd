// Each block counts in bins of its own in shared memory and adds them to the global bins once, at
// the end. That takes an atomic operation on shared memory for each element, but only BINS atomic
// operations on global memory for each block. Two barriers separate the three steps: clearing the
// bins, counting, and adding to the global bins.

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
        if (value >= 0.0f && value < 1.0f) {
            atomicAdd(&mine[int(value * BINS)], 1u);
        }
    }
    __syncthreads();  // every thread has counted before any thread adds to `bins`

    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        atomicAdd(&bins[bin], mine[bin]);
    }
}
