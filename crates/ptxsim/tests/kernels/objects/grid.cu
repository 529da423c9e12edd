#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void grid_sum(const int *x, int *partial, int *out, int n) {
  auto grid = cg::this_grid();
  auto block = cg::this_thread_block();
  __shared__ int s[64];
  int sum = 0;
  for (unsigned long long i = grid.thread_rank(); i < n; i += grid.num_threads()) sum += x[i];
  s[block.thread_rank()] = sum;
  for (int step = block.num_threads() / 2; step > 0; step /= 2) {
    block.sync();
    if (block.thread_rank() < step) s[block.thread_rank()] += s[block.thread_rank() + step];
  }
  if (block.thread_rank() == 0) partial[blockIdx.x] = s[0];
  // halves the number of blocks that add, with a grid barrier between two rounds
  for (int blocks = gridDim.x; blocks > 1; blocks = (blocks + 1) / 2) {
    grid.sync();  // @grid_sync
    int half = (blocks + 1) / 2, other = blockIdx.x + half;
    if (block.thread_rank() == 0 && blockIdx.x < half && other < blocks) partial[blockIdx.x] += partial[other];
  }
  grid.sync();
  if (grid.thread_rank() == 0) *out = partial[0];
}

// a trap beside the one in the grid barrier
extern "C" __global__ void own_trap(const int *x, int *out) {
  if (x[threadIdx.x] < 0) __trap();  // @own_trap
  cg::this_grid().sync();
  out[threadIdx.x] = x[threadIdx.x];
}

// one block never reaches the barrier
extern "C" __global__ void left_out(int *out) {
  if (blockIdx.x == 1) return;
  cg::this_grid().sync();  // @left_out
  out[blockIdx.x] = 1;
}
