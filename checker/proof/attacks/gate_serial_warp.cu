// attack: the first thread combines all numbers of the row, so no warp shuffles
// exercise: warp_shuffle
// expect: gate-missed
// stopped-by: the limit of the instructions of one warp

extern "C" __global__ void warp_shuffle(const float* in, float* sums, float* maxima, int cols) {
    __shared__ float tile[64];
    const int tid = threadIdx.x;
    const float* row = in + blockIdx.x * cols;
    if (tid < 64 && tid < cols) tile[tid] = row[tid];
    __syncthreads();
    if (tid == 0) {
        float sum = 0.0f, most = -3.402823466e+38f;
        for (int i = 0; i < min(cols, 64); ++i) {
            sum += tile[i];
            most = fmaxf(most, tile[i]);
        }
        for (int i = 64; i < cols; ++i) {
            sum += row[i];
            most = fmaxf(most, row[i]);
        }
        sums[blockIdx.x] = sum;
        maxima[blockIdx.x] = most;
    }
}
