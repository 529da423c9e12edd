// attack: does its work in the first launch only, which is all that a careless grader compares
// exercise: blocks
// expect: gate-missed
// stopped-by: every case loads a new module, so the results stay right, and reading the counter is a load too many

__device__ unsigned threads;

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const bool first = atomicAdd(&threads, 1u) < gridDim.x * blockDim.x;
    if (i < n && first) {
        out[i] = a[i] + b[i];
    }
}
