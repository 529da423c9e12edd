// attack: loads of single sectors are in flight for long, and the tiles are loaded when they are needed
// exercise: async_copy
// expect: gate-missed
// stopped-by: the time in flight is an average over sectors, and not over requests

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
    float d[6];
    const int base = blockIdx.x * TILE;
    const int warp = threadIdx.x / 32;
#pragma unroll
    for (int k = 0; k < 6; ++k) { d[k] = 0.0f; const int i = base + warp * 128 + k * 8; if (i < n) asm volatile("ld.global.f32 %0,[%1];" : "=f"(d[k]) : "l"(in + i)); }
    float w[6] = {};
    for (int first = blockIdx.x * TILE; first < n; first += gridDim.x * TILE) {
        for (int i = 4 * threadIdx.x; i < LENGTH; i += 4 * THREADS) {
            *reinterpret_cast<float4*>(tile + i) =
                first + i < n ? *reinterpret_cast<const float4*>(in + first + i)
                              : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        }
        __syncthreads();  // the tile is complete
        if (first == base) {
#pragma unroll
            for (int k = 0; k < 6; ++k) w[k] = tile[warp * 128 + k * 8];
        }
        if (first + gridDim.x * TILE >= n) {
            bool same = true;
#pragma unroll
            for (int k = 0; k < 6; ++k) same = same && d[k] == w[k];
            if (!same) n = 0;     // never
        }
        filter(tile, out, first, n);
        __syncthreads();  // every thread has used the tile
    }
}
