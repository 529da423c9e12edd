// The block loads 8 keys and 8 values at a time. A thread computes its 8 scores, and if one of
// them is greater than all scores before, it scales its sums. After the last tile, the sums are
// the same as if the thread had used the greatest score of all keys from the beginning.

constexpr int DIM = 32;                      // elements of a query, of a key and of a value
constexpr float SCALE = 0.17677669530f;      // 1 / sqrt(32)
constexpr float LOWEST = -3.402823466e+38f;  // no finite float is less
constexpr int TILE = 8;                      // keys that a block loads at a time

extern "C" __global__ void attention_tiles(const float* q, const float* k, const float* v,
                                           float* out, int queries, int keys) {
    __shared__ float k_tile[TILE][DIM];
    __shared__ float v_tile[TILE][DIM];

    const int row = blockIdx.x * blockDim.x + threadIdx.x;  // row of q and out
    float query[DIM];
    for (int d = 0; d < DIM; ++d) {
        query[d] = row < queries ? q[row * DIM + d] * SCALE : 0.0f;
    }

    float greatest = LOWEST;  // greatest score so far
    float sum = 0.0f;         // sum of the weights
    float total[DIM] = {};    // sum of the weighted values
    for (int first = 0; first < keys; first += TILE) {
        const int left = keys - first;
        __syncthreads();  // every thread has used the tiles before any thread overwrites them
        for (int i = threadIdx.x; i < TILE * DIM; i += blockDim.x) {
            k_tile[i / DIM][i % DIM] = i < left * DIM ? k[first * DIM + i] : 0.0f;
            v_tile[i / DIM][i % DIM] = i < left * DIM ? v[first * DIM + i] : 0.0f;
        }
        __syncthreads();  // the tiles are complete before any thread uses them

        float scores[TILE];
        float now_greatest = greatest;
#pragma unroll
        for (int j = 0; j < TILE; ++j) {
            float score = 0.0f;
            for (int d = 0; d < DIM; ++d) {
                score += query[d] * k_tile[j][d];
            }
            scores[j] = j < left ? score : LOWEST;
            now_greatest = fmaxf(now_greatest, scores[j]);
        }

        const float factor = expf(greatest - now_greatest);  // 1 if the greatest is the same
        greatest = now_greatest;
        sum *= factor;
        for (int d = 0; d < DIM; ++d) {
            total[d] *= factor;
        }
#pragma unroll
        for (int j = 0; j < TILE; ++j) {
            const float weight = expf(scores[j] - greatest);
            sum += weight;
            for (int d = 0; d < DIM; ++d) {
                total[d] += weight * v_tile[j][d];
            }
        }
    }

    if (row < queries) {
        for (int d = 0; d < DIM; ++d) {
            out[row * DIM + d] = total[d] / sum;
        }
    }
}
