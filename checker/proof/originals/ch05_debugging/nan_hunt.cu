// nan_hunt | chapter 5 | "Infinity and NaN"
//
// Goal    first find where the error begins and record the position; then fix the kernel.
//
// x, y    [n]    f32, read only; points with 0 < |y| < x, some far away from 0, some close to 0
// angle   [n]    f32, the angle of each point in radians: atan(y / x)
// found   [3]    int, the position that you have found; the kernel copies it from FOUND
// n       count  any n >= 1
// launch  1-D, blocks of 128 threads, enough of them for n elements and for `found`
//
// The angle of a point is the sum of a series with alternating signs:
//
//     y/x - (y/x)^3 / 3 + (y/x)^5 / 5 - (y/x)^7 / 7 ...
//
// Find the position before you fix the kernel, because the fixed kernel computes no NaN.
//
// Run     cargo checker check nan_hunt         Stuck?  cargo checker hint nan_hunt

// TODO 1: find the first block with a result that is infinite or NaN, and in this block the first
//         thread with such a result. Then find the first step of this thread after which `sum` is
//         infinite or NaN. Count from 0, as the kernel does.
__device__ const int FOUND[3] = {
    -1,  // blockIdx.x
    -1,  // threadIdx.x
    -1,  // step
};

constexpr int TERMS = 64;

extern "C" __global__ void nan_hunt(const float* x, const float* y, float* angle, int* found,
                                    int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;  // 0 .. threads-1

    if (idx < 3) {
        found[idx] = FOUND[idx];
    }

    // TODO 2: fix the sum. No term is large, so no intermediate value has to be large, either.
    if (idx < n) {
        float top = y[idx];     // y, y^3, y^5 ...
        float bottom = x[idx];  // x, x^3, x^5 ...
        float sign = 1.0f;
        float sum = 0.0f;
        for (int step = 0; step < TERMS; step++) {
            const float term = top / bottom / (2 * step + 1);
            sum += sign * term;
            sign = -sign;
            top *= y[idx] * y[idx];
            bottom *= x[idx] * x[idx];
        }
        angle[idx] = sum;
    }
}
