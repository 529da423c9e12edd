// expect: gate-missed
// A number of rounds that is known, and a compiler that is told to leave the loop alone.

#ifndef RADIUS
#define RADIUS 4  // for a compiler that was told none
#endif

constexpr int TAPS = 2 * RADIUS + 1;

extern "C" __global__ void specialise(const float* __restrict__ in,
                                      const float* __restrict__ weights, float* __restrict__ out,
                                      int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;  // 0 .. at least n-1

    if (idx < n) {
        float acc = 0.0f;
#pragma unroll 1
        for (int k = 0; k < TAPS; ++k) {
            acc += weights[k] * in[idx + k];
        }
        out[idx] = acc;
    }
}
