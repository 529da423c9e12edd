// expect: wrong-values
// REACH is text: 2 * REACH is 2 * RADIUS + 1.

#ifndef RADIUS
#define RADIUS 4  // for a compiler that was told none
#endif

#define REACH RADIUS + 1

extern "C" __global__ void specialise(const float* __restrict__ in,
                                      const float* __restrict__ weights, float* __restrict__ out,
                                      int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;  // 0 .. at least n-1

    if (idx < n) {
        float acc = 0.0f;
#pragma unroll
        for (int k = 0; k < 2 * REACH - 1; ++k) {
            acc += weights[k] * in[idx + k];
        }
        out[idx] = acc;
    }
}
