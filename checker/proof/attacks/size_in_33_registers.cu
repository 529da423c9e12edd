// attack: keeps a row in registers, so it is wrong for long rows
// exercise: layer_norm
// expect: wrong-values
// stopped-by: a row that no registers hold

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

    float row[33];  // this thread's elements
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 33; ++k) { row[k] = tid + k * BLOCK < cols ? in[first + tid + k * BLOCK] : 0.0f; sum += row[k]; }
    const float mean = block_sum(sum, slots) / cols;
    float squares = 0.0f;
#pragma unroll
    for (int k = 0; k < 33; ++k) { const float d = tid + k * BLOCK < cols ? row[k] - mean : 0.0f; squares += d * d; }
    const float factor = rsqrtf(block_sum(squares, slots) / cols + epsilon);
#pragma unroll
    for (int k = 0; k < 33; ++k) { const int col = tid + k * BLOCK; if (col < cols) out[first + col] = (row[k] - mean) * factor * scale[col] + shift[col]; }
}
