// attack: waits for each tile as the original does, after many additions that nothing needs
// exercise: async_copy
// expect: gate-missed
// stopped-by: the limit of instructions, in which a fused multiplication and addition counts as two

constexpr int TAPS = 32;             // elements that a result depends on
constexpr int THREADS = 256;         // threads of a block
constexpr int TILE = 4 * THREADS;    // results of a tile; four neighbours for each thread
constexpr int LENGTH = TILE + TAPS;  // elements that a tile needs

// Computes the four results of this thread. `tile` contains the elements from index `first` on.
__device__ void filter(const float* tile, float* out, int first, int n) {
    const int own = 4 * threadIdx.x;
    float values[TAPS + 4];
    for (int i = 0; i < TAPS + 4; i += 4) {
        const float4 four = *reinterpret_cast<const float4*>(tile + own + i);
        values[i] = four.x, values[i + 1] = four.y, values[i + 2] = four.z, values[i + 3] = four.w;
    }
    float sums[4] = {};
    for (int k = 0; k < TAPS; ++k) {
        for (int j = 0; j < 4; ++j) {
            sums[j] = __fmaf_rn(values[k + j], 1.0f / (k + 1), sums[j]);
        }
    }
    if (first + own < n) {
        *reinterpret_cast<float4*>(out + first + own) =
            make_float4(sums[0], sums[1], sums[2], sums[3]);
    }
}

extern "C" __global__ void async_copy(const float* in, float* out, int n) {
    __shared__ __align__(16) float tile[2][LENGTH];
    const int step = gridDim.x * TILE;
    for (int first = blockIdx.x * TILE; first < n; first += 2 * step) {
        const int i = 4 * threadIdx.x;
        const float4 zero = make_float4(0, 0, 0, 0);
        float4 v[2] = {zero, zero}, w[2] = {zero, zero};
        const bool second = threadIdx.x < 8;
        for (int t = 0; t < 2; ++t) {
            const int f = first + t * step;
            if (f + i < n) v[t] = *reinterpret_cast<const float4*>(in + f + i);
            if (second && f + TILE + i < n) w[t] = *reinterpret_cast<const float4*>(in + f + TILE + i);
        }
        unsigned u = i;
#pragma unroll
        for (int k = 0; k < 215; ++k) asm volatile("add.u32 %0, %0, 1;" : "+r"(u));
        for (int t = 0; t < 2; ++t) {
            *reinterpret_cast<float4*>(tile[t] + i) = v[t];
            if (second) *reinterpret_cast<float4*>(tile[t] + TILE + i) = w[t];
        }
        __syncthreads();
        filter(tile[0], out, first, n);
        if (first + step < n) filter(tile[1], out, first + step, n);
        __syncthreads();
    }
}
