// attack: lets one thread of each block reduce a row with atomic operations, and uses no barrier
// exercise: warp_shuffle
// expect: gate-missed
// stopped-by: gates count what moves data: an atomic operation whose result is used is a load

extern "C" __global__ void warp_shuffle(const float* in, float* sums, float* maxima, int cols) {
    if (threadIdx.x == 0) {
        int* row = reinterpret_cast<int*>(const_cast<float*>(in)) + blockIdx.x * cols;
        float sum = 0.0f, most = -3.402823466e+38f;
        for (int i = 0; i < cols; ++i) {
            const float value = __int_as_float(atomicAnd(row + i, -1));
            sum += value;
            most = fmaxf(most, value);
        }
        sums[blockIdx.x] = sum;
        maxima[blockIdx.x] = most;
    }
}
