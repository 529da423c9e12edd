// attack: executes all 17 terms for each radius, and selects those that count
// exercise: specialise
// expect: gate-missed
// stopped-by: the limit of instructions

#ifndef RADIUS
#define RADIUS 4  // the default, if the command line doesn't define RADIUS
#endif

constexpr int TAPS = 2 * RADIUS + 1;

extern "C" __global__ void specialise(const float* __restrict__ in, const float* __restrict__ weights, float* __restrict__ out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= n) return;
    volatile int radius_at_run_time = RADIUS;
    const int r = radius_at_run_time;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 17; ++k) {
        const int j = min(k, 2 * r);
        const float w = weights[j], v = in[idx + j];
        sum += k <= 2 * r ? w * v : 0.0f;
    }
    out[idx] = sum;
}
