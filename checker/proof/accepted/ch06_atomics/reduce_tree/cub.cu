// The reduction of a block in CUB.

#include <cub/block/block_reduce.cuh>

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
    using Reduce = cub::BlockReduce<float, BLOCK>;
    __shared__ Reduce::TempStorage storage;

    const float sum = Reduce(storage).Sum(sum_of_thread(in, n));
    if (threadIdx.x == 0) {
        out[blockIdx.x] = sum;
    }
}
