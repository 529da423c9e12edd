// Without asynchronous copies: a thread loads its elements of the next tile into registers.

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

__device__ float4 load4(const float* in, int i, int n) {
    return i < n ? *reinterpret_cast<const float4*>(in + i) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
}

extern "C" __global__ void async_copy(const float* in, float* out, int n) {
    __shared__ __align__(16) float tiles[2][LENGTH];
    const int own = 4 * threadIdx.x;
    float4 next, halo;
    next = load4(in, blockIdx.x * TILE + own, n);
    if (own < TAPS) {
        halo = load4(in, blockIdx.x * TILE + TILE + own, n);
    }
    int now = 0;
    for (int first = blockIdx.x * TILE; first < n; first += gridDim.x * TILE, now ^= 1) {
        *reinterpret_cast<float4*>(tiles[now] + own) = next;
        if (own < TAPS) {
            *reinterpret_cast<float4*>(tiles[now] + TILE + own) = halo;
        }
        __syncthreads();
        const int later = first + gridDim.x * TILE;
        next = load4(in, later + own, n);
        if (own < TAPS) {
            halo = load4(in, later + TILE + own, n);
        }
        filter(tiles[now], out, first, n);
    }
}
