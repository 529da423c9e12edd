// The reduction of a block in CUB.

#include <cub/block/block_reduce.cuh>

constexpr int BLOCK = 256;  // threads per block, a power of two

extern "C" __global__ void reduce_tree(const float* in, float* out, int n) {
    using Reduce = cub::BlockReduce<float, BLOCK>;
    __shared__ Reduce::TempStorage storage;

    const int idx = blockIdx.x * BLOCK + threadIdx.x;
    const float sum = Reduce(storage).Sum(idx < n ? in[idx] : 0.0f);
    if (threadIdx.x == 0) {
        out[blockIdx.x] = sum;
    }
}
