// expect: gate-missed
// One thread reads the whole row.

extern "C" __global__ void warp_shuffle(const float* in, float* sums, float* maxima, int cols) {
    if (threadIdx.x == 0) {
        const float* row = in + blockIdx.x * cols;
        float sum = row[0];
        float maximum = row[0];
        for (int col = 1; col < cols; col++) {
            sum += row[col];
            maximum = fmaxf(maximum, row[col]);
        }
        sums[blockIdx.x] = sum;
        maxima[blockIdx.x] = maximum;
    }
}
