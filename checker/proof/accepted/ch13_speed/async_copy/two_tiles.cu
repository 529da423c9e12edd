// Two tiles and two barriers for each of them: the copies of the next tile begin first.

#include <cuda_pipeline.h>

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
    __shared__ __align__(16) float tiles[2][LENGTH];
    auto begin = [&](float* tile, int first) {
        for (int i = 4 * threadIdx.x; i < LENGTH && first < n; i += 4 * THREADS) {
            __pipeline_memcpy_async(tile + i, in + first + i, 16, first + i < n ? 0 : 16);
        }
        __pipeline_commit();
    };
    int now = 0;
    begin(tiles[0], blockIdx.x * TILE);
    for (int first = blockIdx.x * TILE; first < n; first += gridDim.x * TILE, now ^= 1) {
        begin(tiles[now ^ 1], first + gridDim.x * TILE);
        __pipeline_wait_prior(1);
        __syncthreads();
        filter(tiles[now], out, first, n);
        __syncthreads();
    }
}
