// attack: goes through each row three times, with loads of four floats
// exercise: softmax_online
// expect: gate-missed
// stopped-by: loads of threads, of which one of 16 bytes counts as four

constexpr int BLOCK = 256;                   // threads of a block
constexpr int WARPS = BLOCK / 32;            // warps of a block
constexpr unsigned ALL = 0xffffffffu;        // all 32 lanes of a warp
constexpr float LOWEST = -3.402823466e+38f;  // no finite float is less

struct Maximum {
    __device__ float operator()(float a, float b) const {
        return fmaxf(a, b);
    }
};

struct Sum {
    __device__ float operator()(float a, float b) const {
        return a + b;
    }
};

// Combines the block's values. Each thread gets the result. `slots` has an element for each warp.
template <typename Combine>
__device__ float block_reduce(float value, float* slots, Combine combine) {
    for (int distance = 16; distance > 0; distance /= 2) {
        value = combine(value, __shfl_xor_sync(ALL, value, distance));
    }
    if (threadIdx.x % 32 == 0) {
        slots[threadIdx.x / 32] = value;
    }
    __syncthreads();  // every warp has stored its value

    value = slots[0];
    for (int warp = 1; warp < WARPS; ++warp) {
        value = combine(value, slots[warp]);
    }
    return value;
}

extern "C" __global__ void softmax_online(const float* in, float* out, int cols) {
    __shared__ float maxima[WARPS];
    __shared__ float sums[WARPS];

    const size_t first = size_t(blockIdx.x) * cols;  // index of the row's first element
    const int tid = threadIdx.x;

    // Three passes over the row, exactly like the original, but with four elements in each access
    // if the row's length allows that. There is no running maximum.
    if (cols % 4 == 0) {
        const float4* in4 = reinterpret_cast<const float4*>(in + first);
        float4* out4 = reinterpret_cast<float4*>(out + first);
        float maximum = LOWEST;
        for (int col = tid; col < cols / 4; col += BLOCK) {
            const float4 v = in4[col];
            maximum = fmaxf(fmaxf(maximum, fmaxf(v.x, v.y)), fmaxf(v.z, v.w));
        }
        maximum = block_reduce(maximum, maxima, Maximum{});

        float sum = 0.0f;
        for (int col = tid; col < cols / 4; col += BLOCK) {
            float4 v = in4[col];
            v.x = expf(v.x - maximum), v.y = expf(v.y - maximum);
            v.z = expf(v.z - maximum), v.w = expf(v.w - maximum);
            out4[col] = v;
            sum += v.x + v.y + v.z + v.w;
        }
        sum = block_reduce(sum, sums, Sum{});

        for (int col = tid; col < cols / 4; col += BLOCK) {
            float4 v = out4[col];
            v.x /= sum, v.y /= sum, v.z /= sum, v.w /= sum;
            out4[col] = v;
        }
        return;
    }
    float maximum = LOWEST;
    for (int col = tid; col < cols; col += BLOCK) {
        maximum = fmaxf(maximum, in[first + col]);
    }
    maximum = block_reduce(maximum, maxima, Maximum{});

    float sum = 0.0f;
    for (int col = tid; col < cols; col += BLOCK) {
        const float exponential = expf(in[first + col] - maximum);
        out[first + col] = exponential;
        sum += exponential;
    }
    sum = block_reduce(sum, sums, Sum{});

    for (int col = tid; col < cols; col += BLOCK) {
        out[first + col] /= sum;
    }
}
