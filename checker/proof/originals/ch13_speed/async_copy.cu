// async_copy | chapter 13 | "Two tiles at a time"
//
// Goal    compute out[i] = in[i] / 1 + in[i + 1] / 2 + ... + in[i + 31] / 32, with at least 200
//         instructions of a warp between a load and the wait for it. Beyond the end, `in` counts
//         as 0.
//
// in      [n]  f32, read only
// out     [n]  f32, every element written once
// n       count, a multiple of 4, at least 4
// launch  any number of blocks of THREADS threads; on an H100, two for each multiprocessor
//
// This kernel is right, but a block does nothing while it waits for its tile. With two blocks on a
// multiprocessor, there are too few other warps that could use the time.
//
// Run     cargo checker check async_copy       Stuck?  cargo checker hint async_copy

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

    // TODO: begin the copies of later tiles before you compute with this one.
    for (int first = blockIdx.x * TILE; first < n; first += gridDim.x * TILE) {
        for (int i = 4 * threadIdx.x; i < LENGTH; i += 4 * THREADS) {
            *reinterpret_cast<float4*>(tile + i) =
                first + i < n ? *reinterpret_cast<const float4*>(in + first + i)
                              : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        }
        __syncthreads();  // the tile is complete

        filter(tile, out, first, n);
        __syncthreads();  // every thread has used the tile
    }
}
