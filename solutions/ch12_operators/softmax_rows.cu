// If we divide the numerator and the denominator by exp(m), each exponential becomes
// exp(x - m). With the largest score of the row as m, no exponent is greater than 0, so nothing
// overflows, and the sum is at least 1, because the largest score contributes exp(0). The maximum
// takes a second reduction, which has slots of its own, so that no warp overwrites a maximum that
// another warp hasn't read yet.

constexpr int BLOCK = 256;                   // threads of a block
constexpr int WARPS = BLOCK / 32;            // warps of a block
constexpr unsigned ALL = 0xffffffffu;        // all 32 lanes of a warp
constexpr float LOWEST = -3.402823466e+38f;  // no finite float is less

// Returns the sum of the block's values to each thread. `slots` has an element for each warp.
__device__ float block_sum(float value, float* slots) {
    for (int distance = 16; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(ALL, value, distance);
    }
    if (threadIdx.x % 32 == 0) {
        slots[threadIdx.x / 32] = value;
    }
    __syncthreads();  // every warp has stored its sum

    float sum = 0.0f;
    for (int warp = 0; warp < WARPS; ++warp) {
        sum += slots[warp];
    }
    return sum;
}

// Returns the maximum of the block's values to each thread.
__device__ float block_max(float value, float* slots) {
    for (int distance = 16; distance > 0; distance /= 2) {
        value = fmaxf(value, __shfl_xor_sync(ALL, value, distance));
    }
    if (threadIdx.x % 32 == 0) {
        slots[threadIdx.x / 32] = value;
    }
    __syncthreads();  // every warp has stored its maximum

    float maximum = slots[0];
    for (int warp = 1; warp < WARPS; ++warp) {
        maximum = fmaxf(maximum, slots[warp]);
    }
    return maximum;
}

extern "C" __global__ void softmax_rows(const float* in, float* out, int cols) {
    __shared__ float maxima[WARPS];
    __shared__ float sums[WARPS];

    const size_t first = size_t(blockIdx.x) * cols;  // index of the row's first element
    const int tid = threadIdx.x;

    float maximum = LOWEST;
    for (int col = tid; col < cols; col += BLOCK) {
        maximum = fmaxf(maximum, in[first + col]);
    }
    maximum = block_max(maximum, maxima);

    float sum = 0.0f;
    for (int col = tid; col < cols; col += BLOCK) {
        sum += expf(in[first + col] - maximum);
    }
    sum = block_sum(sum, sums);

    for (int col = tid; col < cols; col += BLOCK) {
        out[first + col] = expf(in[first + col] - maximum) / sum;
    }
}
