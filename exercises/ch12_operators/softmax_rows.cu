// softmax_rows | chapter 12 | "Numbers that overflow"
//
// Goal    compute out[r][c] = exp(in[r][c]) / the sum of exp(in[r][...]) over row r, whatever the
//         size of the scores.
//
// in      [rows][cols]  f32, finite, read only
// out     [rows][cols]  f32, between 0 and 1, every element must be written
// cols    count         any cols >= 1
// launch  one block of BLOCK threads for each row
//
// This kernel is right for small scores. However, exp(89) is too large for a float and becomes
// infinity, and exp(-104) is so small that it becomes 0.
//
// Run     cargo checker check softmax_rows     Stuck?  cargo checker hint softmax_rows

constexpr int BLOCK = 256;             // threads of a block
constexpr int WARPS = BLOCK / 32;      // warps of a block
constexpr unsigned ALL = 0xffffffffu;  // all 32 lanes of a warp

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

extern "C" __global__ void softmax_rows(const float* in, float* out, int cols) {
    __shared__ float slots[WARPS];

    const size_t first = size_t(blockIdx.x) * cols;  // index of the row's first element
    const int tid = threadIdx.x;

    float sum = 0.0f;
    for (int col = tid; col < cols; col += BLOCK) {
        sum += expf(in[first + col]);
    }
    sum = block_sum(sum, slots);

    for (int col = tid; col < cols; col += BLOCK) {
        out[first + col] = expf(in[first + col]) / sum;
    }
}
