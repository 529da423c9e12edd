// expect: gate-missed
// Each thread searches all of the data for one bin.

constexpr int BINS = 256;

extern "C" __global__ void histogram(const float* in, unsigned* bins, int n) {
    if (blockIdx.x > 0) {
        return;
    }
    for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
        unsigned count = 0;
        for (int idx = 0; idx < n; idx++) {
            const float value = in[idx];
            if (value >= 0.0f && value < 1.0f && int(value * BINS) == bin) {
                count++;
            }
        }
        bins[bin] += count;
    }
}
