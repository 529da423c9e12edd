// attack: the maximum begins at a number that scores may lie below
// exercise: softmax_online
// expect: not-a-number
// stopped-by: inputs of this kind in one of the cases

constexpr int BLOCK = 256;                   // threads of a block
constexpr int WARPS = BLOCK / 32;            // warps of a block
constexpr unsigned ALL = 0xffffffffu;        // all 32 lanes of a warp
constexpr float LOWEST = -30000.0f;  // no finite float is less

// The maximum of some elements, and the sum of exp(x - maximum) over them.
struct Partial {
    float maximum, sum;
};

__device__ Partial merge(Partial a, Partial b) {
    const float maximum = fmaxf(a.maximum, b.maximum);
    const float sum = a.sum * expf(a.maximum - maximum) + b.sum * expf(b.maximum - maximum);
    return {maximum, sum};
}

// Merges the block's partial results. Each thread gets the result. `slots` has an element for each
// warp.
__device__ Partial block_merge(Partial partial, Partial* slots) {
    for (int distance = 16; distance > 0; distance /= 2) {
        const Partial other = {__shfl_xor_sync(ALL, partial.maximum, distance),
                               __shfl_xor_sync(ALL, partial.sum, distance)};
        partial = merge(partial, other);
    }
    if (threadIdx.x % 32 == 0) {
        slots[threadIdx.x / 32] = partial;
    }
    __syncthreads();  // every warp has stored its partial result

    partial = slots[0];
    for (int warp = 1; warp < WARPS; ++warp) {
        partial = merge(partial, slots[warp]);
    }
    return partial;
}

extern "C" __global__ void softmax_online(const float* in, float* out, int cols) {
    __shared__ Partial slots[WARPS];

    const size_t first = size_t(blockIdx.x) * cols;  // index of the row's first element
    const int tid = threadIdx.x;

    Partial partial = {LOWEST, 0.0f};  // result for no elements
    for (int col = tid; col < cols; col += BLOCK) {
        const float value = in[first + col];
        if (value > partial.maximum) {
            partial.sum *= expf(partial.maximum - value);
            partial.maximum = value;
        }
        partial.sum += expf(value - partial.maximum);
    }
    partial = block_merge(partial, slots);

    for (int col = tid; col < cols; col += BLOCK) {
        out[first + col] = expf(in[first + col] - partial.maximum) / partial.sum;
    }
}
