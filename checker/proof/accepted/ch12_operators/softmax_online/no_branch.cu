// Rescales for every element, without a branch, and handles threads without an element by a weight
// of 0. Warp 0 merges the warps' results.

constexpr unsigned ALL = 0xffffffffu;

__device__ void merge(float& maximum, float& sum, float other_maximum, float other_sum) {
    const float larger = fmaxf(maximum, other_maximum);
    const float own = sum > 0.0f ? sum * __expf(maximum - larger) : 0.0f;
    const float theirs = other_sum > 0.0f ? other_sum * __expf(other_maximum - larger) : 0.0f;
    maximum = larger;
    sum = own + theirs;
}

extern "C" __global__ void softmax_online(const float* in, float* out, int cols) {
    __shared__ float maxima[32], sums[32];
    const float* row = in + size_t(blockIdx.x) * cols;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;

    float maximum = -INFINITY, sum = 0.0f;
    for (int col = threadIdx.x; col < cols; col += blockDim.x) {
        merge(maximum, sum, row[col], 1.0f);
    }
    for (int distance = 1; distance < 32; distance *= 2) {
        const float other = __shfl_xor_sync(ALL, maximum, distance);
        merge(maximum, sum, other, __shfl_xor_sync(ALL, sum, distance));
    }
    if (lane == 0) {
        maxima[warp] = maximum;
        sums[warp] = sum;
    }
    __syncthreads();
    if (warp == 0) {
        maximum = lane < warps ? maxima[lane] : -INFINITY;
        sum = lane < warps ? sums[lane] : 0.0f;
        for (int distance = 1; distance < 32; distance *= 2) {
            const float other = __shfl_xor_sync(ALL, maximum, distance);
            merge(maximum, sum, other, __shfl_xor_sync(ALL, sum, distance));
        }
        if (lane == 0) {
            maxima[0] = maximum;
            sums[0] = 1.0f / sum;
        }
    }
    __syncthreads();
    for (int col = threadIdx.x; col < cols; col += blockDim.x) {
        out[size_t(blockIdx.x) * cols + col] = __expf(row[col] - maxima[0]) * sums[0];
    }
}
