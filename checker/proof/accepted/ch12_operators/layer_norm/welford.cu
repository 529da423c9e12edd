// Welford's method: one pass computes the mean and the sum of the squared deviations, and two
// partial results are combined with the formula of Chan, Golub and LeVeque.

constexpr unsigned ALL = 0xffffffffu;

struct Moments {
    float count, mean, squares;
};

__device__ Moments combine(Moments a, Moments b) {
    const float count = a.count + b.count;
    if (count == 0.0f) {
        return a;
    }
    const float delta = b.mean - a.mean;
    return {count, a.mean + delta * b.count / count,
            a.squares + b.squares + delta * delta * a.count * b.count / count};
}

extern "C" __global__ void layer_norm(const float* in, const float* scale, const float* shift,
                                      float* out, int cols, float epsilon) {
    __shared__ Moments slots[8];
    const float* row = in + size_t(blockIdx.x) * cols;

    Moments own = {0.0f, 0.0f, 0.0f};
    for (int col = threadIdx.x; col < cols; col += 256) {
        own.count += 1.0f;
        const float delta = row[col] - own.mean;
        own.mean += delta / own.count;
        own.squares += delta * (row[col] - own.mean);
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        own = combine(own, {__shfl_xor_sync(ALL, own.count, distance),
                            __shfl_xor_sync(ALL, own.mean, distance),
                            __shfl_xor_sync(ALL, own.squares, distance)});
    }
    if (threadIdx.x % 32 == 0) {
        slots[threadIdx.x / 32] = own;
    }
    __syncthreads();
    own = slots[0];
    for (int warp = 1; warp < 8; ++warp) {
        own = combine(own, slots[warp]);
    }
    const float divisor = sqrtf(own.squares / cols + epsilon);
    for (int col = threadIdx.x; col < cols; col += 256) {
        out[size_t(blockIdx.x) * cols + col] = (row[col] - own.mean) / divisor * scale[col] + shift[col];
    }
}
