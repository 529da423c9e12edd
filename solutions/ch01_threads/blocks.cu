// Idea    skip the elements of all blocks before mine, then count my own place in my block.
// Work    two loads, one addition and one store for each element, by one thread.
// Notice  idx differs for every thread of the grid; the guard is for the last block only.

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;  // 0 .. gridDim.x*blockDim.x-1

    if (idx < n) {
        out[idx] = a[idx] + b[idx];
    }
}
