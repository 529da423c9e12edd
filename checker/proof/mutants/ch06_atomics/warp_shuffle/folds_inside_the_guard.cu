// expect: bad-sync-mask
// Only lanes with an element come to the shuffle, and the mask names all.

constexpr unsigned ALL = 0xffffffffu;
constexpr float LOWEST = -3.402823466e+38f;

extern "C" __global__ void warp_shuffle(const float* in, float* sums, float* maxima, int cols) {
    __shared__ float warp_sums[32];
    __shared__ float warp_maxima[32];

    const int row = blockIdx.x;
    const int tid = threadIdx.x;
    const int lane = tid % 32;
    const int warp = tid / 32;
    const int warps = blockDim.x / 32;

    float sum = 0.0f;
    float maximum = LOWEST;

    if (tid < cols) {
        sum = in[row * cols + tid];
        maximum = sum;
        for (int distance = 16; distance > 0; distance /= 2) {
            sum += __shfl_down_sync(ALL, sum, distance);
            maximum = fmaxf(maximum, __shfl_down_sync(ALL, maximum, distance));
        }
    }

    if (lane == 0) {
        warp_sums[warp] = sum;
        warp_maxima[warp] = maximum;
    }
    __syncthreads();

    if (warp == 0) {
        sum = lane < warps ? warp_sums[lane] : 0.0f;
        maximum = lane < warps ? warp_maxima[lane] : LOWEST;
        for (int distance = 16; distance > 0; distance /= 2) {
            sum += __shfl_down_sync(ALL, sum, distance);
            maximum = fmaxf(maximum, __shfl_down_sync(ALL, maximum, distance));
        }
        if (lane == 0) {
            sums[row] = sum;
            maxima[row] = maximum;
        }
    }
}
