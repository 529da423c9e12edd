// specialise | chapter 7 | "One source, many kernels"
//
// Goal    out[i] = the sum of weights[k] * in[i + k] over k = 0 .. 2 * RADIUS, with no branch that
//         depends on RADIUS: a warp executes one branch at most, whatever the radius.
//
// RADIUS   1, 2, 4 or 8: this file is compiled once for each, with -D RADIUS=1 and so on
// in       [n + 2 * RADIUS]  f32, read only; RADIUS more elements at each end
// weights  [2 * RADIUS + 1]  f32, read only
// out      [n]               f32, every element must be written
// n        count             any n >= 1
// launch   more threads than elements; n may be anything
//
// Run     cargo checker check specialise       Stuck?  cargo checker hint specialise

#ifndef RADIUS
#define RADIUS 4  // if the command line doesn't define it
#endif

extern "C" __global__ void specialise(const float* __restrict__ in,
                                      const float* __restrict__ weights, float* __restrict__ out,
                                      int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;  // 0 .. at least n-1

    // TODO 1: which threads have an element to write?

    // TODO 2: add up the weighted neighbours. At which point is their number known?
}
