// Cooperative groups: tiles of 32 threads reduce, and the first tile combines their sums.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

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
    __shared__ float sums[BLOCK / 32];
    const cg::thread_block block = cg::this_thread_block();
    const cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);

    const float sum = cg::reduce(tile, sum_of_thread(in, n), cg::plus<float>());
    if (tile.thread_rank() == 0) {
        sums[tile.meta_group_rank()] = sum;
    }
    block.sync();

    if (tile.meta_group_rank() == 0) {
        const float own = tile.thread_rank() < BLOCK / 32 ? sums[tile.thread_rank()] : 0.0f;
        const float total = cg::reduce(tile, own, cg::plus<float>());
        if (tile.thread_rank() == 0) {
            out[blockIdx.x] = total;
        }
    }
}
