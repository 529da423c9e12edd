// attack: makes all weights relative to the first score, so there's no greatest score to update
// exercise: attention_tiles
// expect: not-a-number
// stopped-by: scores of a query that are far apart, whose weights no float holds

constexpr int DIM = 32;
constexpr float SCALE = 0.17677669530f;
constexpr int TILE = 16;

extern "C" __global__ void attention_tiles(const float* q, const float* k, const float* v,
                                           float* out, int queries, int keys) {
    __shared__ float k_tile[TILE][DIM];
    __shared__ float v_tile[TILE][DIM];
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    float query[DIM];
    for (int d = 0; d < DIM; ++d) {
        query[d] = row < queries ? q[row * DIM + d] * SCALE : 0.0f;
    }
    float first_score = 0.0f;
    float sum = 0.0f;
    float total[DIM] = {};
    for (int first = 0; first < keys; first += TILE) {
        const int left = keys - first;
        __syncthreads();
        for (int i = threadIdx.x; i < TILE * DIM; i += blockDim.x) {
            k_tile[i / DIM][i % DIM] = i < left * DIM ? k[first * DIM + i] : 0.0f;
            v_tile[i / DIM][i % DIM] = i < left * DIM ? v[first * DIM + i] : 0.0f;
        }
        __syncthreads();
        for (int j = 0; j < TILE && j < left; ++j) {
            float score = 0.0f;
            for (int d = 0; d < DIM; ++d) {
                score += query[d] * k_tile[j][d];
            }
            if (first == 0 && j == 0) {
                first_score = score;
            }
            const float weight = expf(score - first_score);
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
