// attack: one block executes all iterations of a grid-stride loop
// exercise: grid_stride
// expect: gate-missed
// stopped-by: gates: the warp with the most instructions

extern "C" __global__ void grid_stride(const float* a, const float* b, float* out, int n) {
    if (blockIdx.x > 0) return;
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = sqrtf(a[i] * a[i] + b[i] * b[i]);
}
