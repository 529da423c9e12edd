// attack: one warp computes all elements, and the other warps do nothing
// exercise: add_one
// expect: gate-missed
// stopped-by: gates: the warp with the most instructions

extern "C" __global__ void add_one(const float* a, float* out) {
    if (threadIdx.x > 31) return;
    for (int i = threadIdx.x; i < blockDim.x; i += 32) out[i] = a[i] + 1.0f;
}
