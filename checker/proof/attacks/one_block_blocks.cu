// attack: one block computes all elements, and the other blocks do nothing
// exercise: blocks
// expect: gate-missed
// stopped-by: gates: the warp with the most instructions

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    if (blockIdx.x > 0) return;
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = a[i] + b[i];
}
