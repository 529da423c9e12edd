// attention_tiles | chapter 12 | "Scores that are never stored"
//
// Goal    compute out[i] = the mean of the rows of v, with the weights exp(q[i] . k[j] / sqrt(32)).
//         If there are 256 keys, use at most 5.5 loads per element of out. This kernel needs 769.
//
// q       [queries][32]  f32, read only
// k       [keys][32]     f32, read only
// v       [keys][32]     f32, read only
// out     [queries][32]  f32, every element must be written
// queries, keys          counts, any >= 1
// launch  1-D, blocks of 128 threads, one thread for each query
//
// A thread computes each of its scores twice, once to find the greatest one and once for the
// weight, and it loads all keys and values for itself. Load them into tiles that the whole block
// uses, go through them only once, and use no local memory.
//
// Run     cargo checker check attention_tiles  Stuck?  cargo checker hint attention_tiles

constexpr int DIM = 32;                      // elements of a query, of a key and of a value
constexpr float SCALE = 0.17677669530f;      // 1 / sqrt(32)
constexpr float LOWEST = -3.402823466e+38f;  // no finite float is less

extern "C" __global__ void attention_tiles(const float* q, const float* k, const float* v,
                                           float* out, int queries, int keys) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;  // row of q and out
    if (row >= queries) {
        return;
    }
    float query[DIM];
    for (int d = 0; d < DIM; ++d) {
        query[d] = q[row * DIM + d] * SCALE;
    }

    float greatest = LOWEST;
    for (int j = 0; j < keys; ++j) {
        float score = 0.0f;
        for (int d = 0; d < DIM; ++d) {
            score += query[d] * k[j * DIM + d];
        }
        greatest = fmaxf(greatest, score);
    }

    float sum = 0.0f;       // sum of the weights
    float total[DIM] = {};  // sum of the weighted values
    for (int j = 0; j < keys; ++j) {
        float score = 0.0f;
        for (int d = 0; d < DIM; ++d) {
            score += query[d] * k[j * DIM + d];
        }
        const float weight = expf(score - greatest);
        sum += weight;
        for (int d = 0; d < DIM; ++d) {
            total[d] += weight * v[j * DIM + d];
        }
    }
    for (int d = 0; d < DIM; ++d) {
        out[row * DIM + d] = total[d] / sum;
    }
}
