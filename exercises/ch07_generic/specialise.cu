// specialise | chapter 7 | "One source, many kernels"
//
// Goal    compute out[i] = the sum of weights[k] * in[i + k] for k = 0 to 2 * RADIUS. A warp may
//         execute at most one branch, regardless of the radius.
//
// RADIUS   1, 2, 4 or 8; the checker compiles this file for each of them, with -D RADIUS=1 etc.
// in       [n + 2 * RADIUS]  f32, read only; it has RADIUS more elements than `out` at each end
// weights  [2 * RADIUS + 1]  f32, read only
// out      [n]               f32, every element must be written
// n        count             any n >= 1
// launch   if n isn't a multiple of the block size, there are more threads than elements
//
// Run     cargo checker check specialise       Stuck?  cargo checker hint specialise

#ifndef RADIUS
#define RADIUS 4  // the default, if the command line doesn't define RADIUS
#endif

extern "C" __global__ void specialise(const float* __restrict__ in,
                                      const float* __restrict__ weights, float* __restrict__ out,
                                      int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;  // 0 .. at least n-1

    // TODO 1: which threads have an element to write?

    // TODO 2: add up the weighted elements. When does the compiler learn how many there are?
}
