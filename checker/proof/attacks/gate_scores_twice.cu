// attack: computes each score twice, with loads of four floats
// exercise: attention_tiles
// expect: gate-missed
// stopped-by: loads of threads, of which one of 16 bytes counts as four

constexpr int DIM = 32;                      // elements of a query, of a key and of a value
constexpr float SCALE = 0.17677669530f;      // 1 / sqrt(32)
constexpr float LOWEST = -3.402823466e+38f;  // no finite float is less

constexpr int KEYS = 32;  // in a tile

// Loads rows first .. first + KEYS - 1 into the tile, four elements with each load.
__device__ void load_rows(float4 (&tile)[KEYS][DIM / 4], const float* rows, int first, int count) {
    __syncthreads();
    for (int t = threadIdx.x; t < KEYS * DIM / 4; t += blockDim.x) {
        const int r = t / (DIM / 4);
        if (first + r < count) {
            tile[r][t % (DIM / 4)] = reinterpret_cast<const float4*>(rows)[first * (DIM / 4) + t];
        }
    }
    __syncthreads();
}

__device__ float score_of(const float (&query)[DIM], const float4 (&key)[DIM / 4]) {
    float score = 0.0f;
#pragma unroll
    for (int d = 0; d < DIM / 4; ++d) {
        const float4 k = key[d];
        score += query[4 * d] * k.x;
        score += query[4 * d + 1] * k.y;
        score += query[4 * d + 2] * k.z;
        score += query[4 * d + 3] * k.w;
    }
    return score;
}

extern "C" __global__ void attention_tiles(const float* q, const float* k, const float* v,
                                           float* out, int queries, int keys) {
    __shared__ float4 tile[KEYS][DIM / 4];
    __shared__ float4 values[KEYS][DIM / 4];
    const int row = blockIdx.x * blockDim.x + threadIdx.x;  // of q and out
    float query[DIM];
#pragma unroll
    for (int d = 0; d < DIM; ++d) {
        query[d] = row < queries ? q[row * DIM + d] * SCALE : 0.0f;
    }

    // first pass over all keys
    float greatest = LOWEST;
    for (int first = 0; first < keys; first += KEYS) {
        load_rows(tile, k, first, keys);
        for (int j = 0; j < min(KEYS, keys - first); ++j) {
            greatest = fmaxf(greatest, score_of(query, tile[j]));
        }
    }

    // second pass over all keys: computes every score again
    float sum = 0.0f;       // of the weights
    float total[DIM] = {};  // of the weighted values
    for (int first = 0; first < keys; first += KEYS) {
        load_rows(tile, k, first, keys);
        load_rows(values, v, first, keys);
        for (int j = 0; j < min(KEYS, keys - first); ++j) {
            const float weight = expf(score_of(query, tile[j]) - greatest);
            sum += weight;
#pragma unroll
            for (int d = 0; d < DIM / 4; ++d) {
                const float4 x = values[j][d];
                total[4 * d] += weight * x.x;
                total[4 * d + 1] += weight * x.y;
                total[4 * d + 2] += weight * x.z;
                total[4 * d + 3] += weight * x.w;
            }
        }
    }
    if (row < queries) {
#pragma unroll
        for (int d = 0; d < DIM; ++d) {
            out[row * DIM + d] = total[d] / sum;
        }
    }
}
