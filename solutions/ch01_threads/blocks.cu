// Idea    blockIdx.x blocks of blockDim.x threads come before mine: skip their elements, then count
// my own place. Work    two loads, one addition and one store for each element; each element has
// one thread. Notice  idx is different for every thread of the grid; the guard is for the last
// block only.

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;  // 0 .. gridDim.x*blockDim.x-1

    if (idx < n) {
        out[idx] = a[idx] + b[idx];
    }
}
