// A block has four tiles in shared memory. While it computes with one of them, the copies of the
// next three are in flight. A thread commits one group of copies in each iteration, even if no tile
// is left to copy, so the group that it has to wait for is always the third newest one. The barrier
// after the wait does two things: it makes the copies of all threads visible, and it ensures that
// every thread has used the tile of the previous iteration, whose place the next copies take.

#include <cuda_pipeline.h>

constexpr int TAPS = 32;             // elements that a result depends on
constexpr int THREADS = 256;         // threads of a block
constexpr int TILE = 4 * THREADS;    // results of a tile; four neighbours for each thread
constexpr int LENGTH = TILE + TAPS;  // elements that a tile needs
constexpr int STAGES = 4;            // tiles that a block has at the same time

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

// Begins the copies of the tile from index `first` on, as one group.
__device__ void begin_copy(float* tile, const float* in, int first, int n) {
    if (first < n) {
        for (int i = 4 * threadIdx.x; i < LENGTH; i += 4 * THREADS) {
            const int zeros = first + i < n ? 0 : 16;  // bytes that are filled with zeros
            __pipeline_memcpy_async(tile + i, in + first + i, 16, zeros);
        }
    }
    __pipeline_commit();
}

extern "C" __global__ void async_copy(const float* in, float* out, int n) {
    __shared__ __align__(16) float tiles[STAGES][LENGTH];
    const int step = gridDim.x * TILE;
    const int start = blockIdx.x * TILE;

    for (int stage = 0; stage < STAGES - 1; ++stage) {
        begin_copy(tiles[stage], in, start + stage * step, n);
    }
    int stage = 0;
    for (int first = start; first < n; first += step) {
        __pipeline_wait_prior(STAGES - 2);  // this thread's copies of the tile are complete
        __syncthreads();                    // the copies of all other threads are complete, too

        begin_copy(tiles[(stage + STAGES - 1) % STAGES], in, first + (STAGES - 1) * step, n);
        filter(tiles[stage], out, first, n);
        stage = (stage + 1) % STAGES;
    }
}
