// expect: gate-missed
// Uses tiles, but goes through the keys twice, once for the greatest score.

constexpr int DIM = 32;
constexpr float SCALE = 0.17677669530f;
constexpr int TILE = 16;

extern "C" __global__ void attention_tiles(const float* q, const float* k, const float* v,
                                           float* out, int queries, int keys) {
    __shared__ float k_tile[TILE][DIM];
    __shared__ float v_tile[TILE][DIM];
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    float query[DIM], total[DIM] = {};
    for (int d = 0; d < DIM; ++d) {
        query[d] = row < queries ? q[row * DIM + d] * SCALE : 0.0f;
    }
    float greatest = -1e30f, sum = 0.0f;
    for (int pass = 0; pass < 2; ++pass) {
        for (int first = 0; first < keys; first += TILE) {
            const int rows = min(TILE, keys - first);
            __syncthreads();
            for (int i = threadIdx.x; i < rows * DIM; i += blockDim.x) {
                k_tile[i / DIM][i % DIM] = k[first * DIM + i];
                if (pass == 1) {
                    v_tile[i / DIM][i % DIM] = v[first * DIM + i];
                }
            }
            __syncthreads();
            for (int j = 0; j < rows; ++j) {
                float score = 0.0f;
                for (int d = 0; d < DIM; ++d) {
                    score += query[d] * k_tile[j][d];
                }
                if (pass == 0) {
                    greatest = fmaxf(greatest, score);
                } else {
                    const float weight = expf(score - greatest);
                    sum += weight;
                    for (int d = 0; d < DIM; ++d) {
                        total[d] += weight * v_tile[j][d];
                    }
                }
            }
        }
    }
    for (int d = 0; row < queries && d < DIM; ++d) {
        out[row * DIM + d] = total[d] / sum;
    }
}
