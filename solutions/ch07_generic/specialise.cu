// RADIUS is a constant in the text that the compiler reads, so the compiler can unroll the loop,
// and no loop is left in the kernel. Each thread loads 2 * RADIUS + 1 elements and 2 * RADIUS + 1
// weights. For every radius, each warp executes only one branch, which belongs to the guard. The
// loads from `in` and from `weights` have constant offsets, so the kernel contains neither the
// loop's branches nor its index arithmetic.

#ifndef RADIUS
#define RADIUS 4  // the default, if the command line doesn't define RADIUS
#endif

constexpr int TAPS = 2 * RADIUS + 1;

extern "C" __global__ void specialise(const float* __restrict__ in,
                                      const float* __restrict__ weights, float* __restrict__ out,
                                      int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;  // 0 .. at least n-1

    if (idx < n) {
        float acc = 0.0f;
#pragma unroll
        for (int k = 0; k < TAPS; ++k) {
            acc += weights[k] * in[idx + k];
        }
        out[idx] = acc;
    }
}
