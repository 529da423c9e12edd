// expect: global-race
// Counts in the block, and adds the sum without an atomic: right with one block.

extern "C" __global__ void counter_race(const float* in, int* hits, int n, float limit) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;

    const int mine = __syncthreads_count(idx < n && in[idx] > limit);
    if (threadIdx.x == 0) {
        hits[0] += mine;
    }
}
