// The kernel goes through the row once for the mean, once for the variance, and once for the
// results. A single pass could add up the elements and their squares, because the variance is the
// mean of the squares minus the square of the mean. However, if the mean is 500 times as large as
// the deviations, both of these numbers agree in their first five digits, and a float has seven.
// The squares of the differences are small, so all of their digits count.

constexpr int BLOCK = 256;             // threads of a block
constexpr int WARPS = BLOCK / 32;      // warps of a block
constexpr unsigned ALL = 0xffffffffu;  // all 32 lanes of a warp

// Returns the sum of the block's values to each thread. `slots` has an element for each warp, and
// you can use the same slots for several sums.
__device__ float block_sum(float value, float* slots) {
    for (int distance = 16; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(ALL, value, distance);
    }
    __syncthreads();  // no warp reads the slots of an earlier sum any more
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

extern "C" __global__ void layer_norm(const float* in, const float* scale, const float* shift,
                                      float* out, int cols, float epsilon) {
    __shared__ float slots[WARPS];

    const size_t first = size_t(blockIdx.x) * cols;  // index of the row's first element
    const int tid = threadIdx.x;

    float sum = 0.0f;
    for (int col = tid; col < cols; col += BLOCK) {
        sum += in[first + col];
    }
    const float mean = block_sum(sum, slots) / cols;

    float squares = 0.0f;
    for (int col = tid; col < cols; col += BLOCK) {
        const float difference = in[first + col] - mean;
        squares += difference * difference;
    }
    const float variance = block_sum(squares, slots) / cols;

    const float factor = rsqrtf(variance + epsilon);
    for (int col = tid; col < cols; col += BLOCK) {
        out[first + col] = (in[first + col] - mean) * factor * scale[col] + shift[col];
    }
}
