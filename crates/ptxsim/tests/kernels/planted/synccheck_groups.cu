// nvcc
// Operations of cooperative groups that some threads do not reach, and beside each its fixed version.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// launch: grid 1, block 64; in i32[64] ramp; out i32[64]
extern "C" __global__ void group_in_a_branch(const int* in, int* out) {
    __shared__ int tile[64];
    cg::thread_block block = cg::this_thread_block();
    int t = block.thread_rank();
    if (in[t] < 40) {
        tile[t] = in[t];
        block.sync();  // at: barrier-not-reached waiting 40 missing 24 wait by block 0 thread 0
        out[t] = tile[39 - t];
    } else {
        out[t] = -1;
    }
}  // with: exit by block 0 thread 40
extern "C" __global__ void group_in_a_branch_fixed(const int* in, int* out) {
    __shared__ int tile[64];
    cg::thread_block block = cg::this_thread_block();
    int t = block.thread_rank();
    if (in[t] < 40) {
        tile[t] = in[t];
    }
    block.sync();
    out[t] = in[t] < 40 ? tile[39 - t] : -1;
}

// A shuffle of a tile of 16 lanes that half of them execute.
// launch: grid 1, block 32; in i32[32] ramp; out i32[32]
extern "C" __global__ void half_a_group(const int* in, int* out) {
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    int v = in[threadIdx.x];
    if (tile.thread_rank() < 8) {
        v += tile.shfl_xor(v, 1);  // at: bad-sync-mask mask 0x0000ffff present 0x000000ff by block 0 thread 0
    }
    __syncthreads();  // with: wait by block 0 thread 8
    out[threadIdx.x] = v;
}
extern "C" __global__ void half_a_group_fixed(const int* in, int* out) {
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    int v = in[threadIdx.x];
    int other = tile.shfl_xor(v, 1);
    if (tile.thread_rank() < 8) {
        v += other;
    }
    __syncthreads();
    out[threadIdx.x] = v;
}
