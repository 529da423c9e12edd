// Loads four elements before it looks at the maximum, so it rescales once for four elements.

constexpr unsigned ALL = 0xffffffffu;
constexpr float LOWEST = -3.402823466e+38f;

extern "C" __global__ void softmax_online(const float* in, float* out, int cols) {
    __shared__ float2 slots[8];
    const float* row = in + size_t(blockIdx.x) * cols;
    float* result = out + size_t(blockIdx.x) * cols;

    float maximum = LOWEST, sum = 0.0f;
    for (int start = threadIdx.x; start < cols; start += 4 * 256) {
        float scores[4];
        float larger = maximum;
        for (int k = 0; k < 4; ++k) {
            const int col = start + k * 256;
            scores[k] = col < cols ? row[col] : LOWEST;
            larger = fmaxf(larger, scores[k]);
        }
        sum *= expf(maximum - larger);
        maximum = larger;
        for (int k = 0; k < 4; ++k) {
            sum += expf(scores[k] - maximum);
        }
    }
    // the maximum of the block first, and then the sums, which need only one rescaling
    float largest = maximum;
    for (int distance = 16; distance > 0; distance /= 2) {
        largest = fmaxf(largest, __shfl_xor_sync(ALL, largest, distance));
    }
    sum *= expf(maximum - largest);
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(ALL, sum, distance);
    }
    if (threadIdx.x % 32 == 0) {
        slots[threadIdx.x / 32] = make_float2(largest, sum);
    }
    __syncthreads();
    for (int warp = 0; warp < 8; ++warp) {
        largest = fmaxf(largest, slots[warp].x);
    }
    sum = 0.0f;
    for (int warp = 0; warp < 8; ++warp) {
        sum += slots[warp].y * expf(slots[warp].x - largest);
    }
    for (int col = threadIdx.x; col < cols; col += 256) {
        result[col] = expf(row[col] - largest) / sum;
    }
}
