// Decides about the greatest score at each key instead of each tile, so no array of scores is
// needed. The tiles have 32 keys, are loaded as float4, and their last rows may be left unused.

constexpr int TILE = 32, WORDS = 8;

extern "C" __global__ void attention_tiles(const float* q, const float* k, const float* v,
                                           float* out, int queries, int keys) {
    __shared__ float4 ks[TILE][WORDS], vs[TILE][WORDS];
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    const bool inside = row < queries;
    float4 query[WORDS], total[WORDS];
    for (int w = 0; w < WORDS; ++w) {
        query[w] = inside ? reinterpret_cast<const float4*>(q)[row * WORDS + w] : float4{};
        total[w] = {};
    }
    float greatest = -1e30f, sum = 0.0f;
    for (int first = 0; first < keys; first += TILE) {
        const int rows = min(TILE, keys - first);
        for (int i = threadIdx.x; i < rows * WORDS; i += blockDim.x) {
            ks[i / WORDS][i % WORDS] = reinterpret_cast<const float4*>(k)[first * WORDS + i];
            vs[i / WORDS][i % WORDS] = reinterpret_cast<const float4*>(v)[first * WORDS + i];
        }
        __syncthreads();
        for (int j = 0; j < rows; ++j) {
            float score = 0.0f;
            for (int w = 0; w < WORDS; ++w) {
                const float4 key = ks[j][w];
                score += query[w].x * key.x + query[w].y * key.y + query[w].z * key.z +
                         query[w].w * key.w;
            }
            score *= rsqrtf(32.0f);
            const float next = fmaxf(greatest, score);
            const float factor = expf(greatest - next), weight = expf(score - next);
            greatest = next;
            sum = sum * factor + weight;
            for (int w = 0; w < WORDS; ++w) {
                const float4 value = vs[j][w];
                total[w].x = total[w].x * factor + weight * value.x;
                total[w].y = total[w].y * factor + weight * value.y;
                total[w].z = total[w].z * factor + weight * value.z;
                total[w].w = total[w].w * factor + weight * value.w;
            }
        }
        __syncthreads();
    }
    for (int w = 0; inside && w < WORDS; ++w) {
        const float4 t = total[w];
        reinterpret_cast<float4*>(out)[row * WORDS + w] = {t.x / sum, t.y / sum, t.z / sum,
                                                           t.w / sum};
    }
}
