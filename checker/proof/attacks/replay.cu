// attack: keeps the first launch's results in a variable of the module and returns them in every later launch
// exercise: blocks
// expect: gate-missed
// stopped-by: every case loads a new module, so the results stay right, and reading the counter is a load too many

__device__ unsigned threads;
__device__ float known[1 << 17];

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool first = atomicAdd(&threads, 1u) < gridDim.x * blockDim.x;
    if (i < n) {
        if (first) {
            known[i] = a[i] + b[i];
        }
        out[i] = known[i];
    }
}
