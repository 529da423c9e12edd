// Each warp adds up its values with shuffles, and the first warp adds up the sums of all warps.

constexpr unsigned ALL = 0xffffffffu;

__device__ float sum_of_warp(float value) {
    for (int distance = 16; distance > 0; distance /= 2) {
        value += __shfl_down_sync(ALL, value, distance);
    }
    return value;
}

constexpr int BLOCK = 256;  // threads per block, a power of two
constexpr int TILES = 8;    // a block adds up TILES * BLOCK elements

__device__ float sum_of_thread(const float* in, int n) {
    float sum = 0.0f;
    for (int k = 0; k < TILES; ++k) {
        const int idx = (blockIdx.x * TILES + k) * BLOCK + threadIdx.x;
        sum += idx < n ? in[idx] : 0.0f;
    }
    return sum;
}

extern "C" __global__ void reduce_tree(const float* in, float* out, int n) {
    __shared__ float sums[BLOCK / 32];  // one slot per warp

    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;

    const float sum = sum_of_warp(sum_of_thread(in, n));
    if (lane == 0) {
        sums[warp] = sum;
    }
    __syncthreads();

    if (warp == 0) {
        const float total = sum_of_warp(lane < BLOCK / 32 ? sums[lane] : 0.0f);
        if (lane == 0) {
            out[blockIdx.x] = total;
        }
    }
}
