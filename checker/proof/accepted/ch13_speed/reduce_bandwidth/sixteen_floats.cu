// Has sixteen loads of a float in flight instead of four loads of four, and each warp adds its sum
// to the total.

constexpr int LOADS = 16;

extern "C" __global__ void reduce_bandwidth(const float* in, float* total, int n) {
    const int threads = gridDim.x * blockDim.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (; i + (LOADS - 1) * threads < n; i += LOADS * threads) {
        float values[LOADS];
        for (int k = 0; k < LOADS; ++k) {
            values[k] = in[i + k * threads];
        }
        for (int k = 0; k < LOADS; ++k) {
            sum += values[k];
        }
    }
    for (; i < n; i += threads) {
        sum += in[i];
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, distance);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(total, sum);
    }
}
