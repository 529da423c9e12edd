// layer_norm | chapter 12 | "Mean and variance"
//
// Goal    compute out[r][c] = (in[r][c] - mean) / sqrt(variance + epsilon) * scale[c] + shift[c],
//         with mean and variance of row r, even if the mean is much greater than the deviations.
//
// in      [rows][cols]  f32, read only
// scale   [cols]        f32, read only
// shift   [cols]        f32, read only
// out     [rows][cols]  f32, every element written once
// cols    count         any cols >= 1
// epsilon number        keeps the divisor away from 0
// launch  one block of BLOCK threads for each row
//
// The variance of a row is the mean of (in[r][c] - mean)^2 over its elements.
//
// Run     cargo checker check layer_norm       Stuck?  cargo checker hint layer_norm

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

    // TODO 1: compute the mean of the row, with block_sum.

    // TODO 2: compute the variance. Which numbers may you square?

    // TODO 3: write the elements of the row.
}
