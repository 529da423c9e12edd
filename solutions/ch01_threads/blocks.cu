// A thread's index is the number of threads in all earlier blocks plus its number in its own block,
// so `idx` is different for every thread of the grid. Each thread does two loads, one addition and
// one store for its element. Only the last block needs the guard, because only that block can have
// more threads than elements.

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;  // 0 .. gridDim.x*blockDim.x-1

    if (idx < n) {
        out[idx] = a[idx] + b[idx];
    }
}
