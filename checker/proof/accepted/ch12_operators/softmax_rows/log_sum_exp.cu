// Subtracts the logarithm of the sum, so there's no division. The powers have the base 2, and one
// warp after the other is added with a shuffle.

constexpr float LOG2_E = 1.44269504f;

__device__ float combine(float value, float* slots, bool largest) {
    const auto both = [largest](float a, float b) { return largest ? fmaxf(a, b) : a + b; };
    for (int distance = 16; distance > 0; distance /= 2) {
        value = both(value, __shfl_down_sync(0xffffffffu, value, distance));
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        slots[threadIdx.x / 32] = value;
    }
    __syncthreads();
    value = slots[threadIdx.x % 8];
    for (int distance = 4; distance > 0; distance /= 2) {
        value = both(value, __shfl_xor_sync(0xffffffffu, value, distance));
    }
    return value;
}

extern "C" __global__ void softmax_rows(const float* in, float* out, int cols) {
    __shared__ float slots[8];
    const float* row = in + size_t(blockIdx.x) * cols;
    float maximum = -INFINITY, sum = 0.0f;
    for (int col = threadIdx.x; col < cols; col += 256) {
        maximum = fmaxf(maximum, row[col]);
    }
    maximum = combine(maximum, slots, true);
    for (int col = threadIdx.x; col < cols; col += 256) {
        sum += exp2f((row[col] - maximum) * LOG2_E);
    }
    const float logarithm = log2f(combine(sum, slots, false));
    for (int col = threadIdx.x; col < cols; col += 256) {
        out[size_t(blockIdx.x) * cols + col] = exp2f((row[col] - maximum) * LOG2_E - logarithm);
    }
}
