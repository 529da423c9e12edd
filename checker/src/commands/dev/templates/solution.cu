// Idea    one thread, one element.
// Work    one load and one store for each element.
// Notice  what the learner should take away.

extern "C" __global__ void {{name}}(const float* a, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;  // 0 .. grid*block-1

    if (idx < n) {
        out[idx] = a[idx];
    }
}
