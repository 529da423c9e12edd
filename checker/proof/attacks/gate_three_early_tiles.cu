// attack: loads three of the twelve tiles long before they are needed, and waits for the others at once
// exercise: async_copy
// expect: gate-missed
// stopped-by: one load counts at most a quarter more than the gate wants

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
            sums[j] += values[k + j] * (1.0f / (k + 1));
        }
    }
    if (first + own < n) {
        *reinterpret_cast<float4*>(out + first + own) =
            make_float4(sums[0], sums[1], sums[2], sums[3]);
    }
}

extern "C" __global__ void async_copy(const float* in, float* out, int n) {
    __shared__ __align__(16) float tile[LENGTH];
    const float4 zero = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    const int step = gridDim.x * TILE, start = blockIdx.x * TILE;
    if (start >= n) return;
    const int count = (n - 1 - start) / step + 1, early = count < 3 ? count : 3;
    const int from = start + (count - early) * step;
    const int i = 4 * threadIdx.x, j = i + 4 * THREADS;
    float4 v[3], w[3];
#pragma unroll
    for (int t = 0; t < 3; ++t) {
        const int f = from + t * step;
        v[t] = t < early && f + i < n ? *reinterpret_cast<const float4*>(in + f + i) : zero;
        w[t] = t < early && j < LENGTH && f + j < n ? *reinterpret_cast<const float4*>(in + f + j) : zero;
    }
    for (int first = start; first < from; first += step) {
        *reinterpret_cast<float4*>(tile + i) = *reinterpret_cast<const float4*>(in + first + i);
        if (j < LENGTH) *reinterpret_cast<float4*>(tile + j) = first + j < n ? *reinterpret_cast<const float4*>(in + first + j) : zero;
        __syncthreads();
        filter(tile, out, first, n);
        __syncthreads();
    }
#pragma unroll
    for (int t = 0; t < 3; ++t) {
        *reinterpret_cast<float4*>(tile + i) = v[t];
        if (j < LENGTH) *reinterpret_cast<float4*>(tile + j) = w[t];
        __syncthreads();
        if (t < early) filter(tile, out, from + t * step, n);
        __syncthreads();
    }
}
