// attack: one warp computes all elements of a block of 1024 threads
// exercise: guard
// expect: gate-missed
// stopped-by: gates: the warp with the most instructions

extern "C" __global__ void guard(const float* a, float* out, int n) {
    if (threadIdx.x > 31) return;
    for (int i = threadIdx.x; i < n; i += 32) out[i] = a[i] + 10.0f;
}
