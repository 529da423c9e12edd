// The kernel divides before it computes powers, because the ratio and all its powers are between -1
// and 1, whereas the powers of x and y become too large or too small for a float. Each term also
// takes one division instead of two. In the original kernel, the first infinity has no visible
// effect, because the term is 0 if only `bottom` is infinite. Some steps later, `top` is infinite
// as well, so the term is NaN. For points near 0, both become 0, and 0 / 0 is NaN.

__device__ const int FOUND[3] = {
    2,   // blockIdx.x
    50,  // threadIdx.x
    8,   // step
};

constexpr int TERMS = 64;

extern "C" __global__ void nan_hunt(const float* x, const float* y, float* angle, int* found,
                                    int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;  // 0 .. threads-1

    if (idx < 3) {
        found[idx] = FOUND[idx];
    }

    if (idx < n) {
        const float ratio = y[idx] / x[idx];  // between -1 and 1
        float power = ratio;                  // ratio, ratio^3, ratio^5 ...
        float sign = 1.0f;
        float sum = 0.0f;
        for (int step = 0; step < TERMS; step++) {
            const float term = power / (2 * step + 1);
            sum += sign * term;
            sign = -sign;
            power *= ratio * ratio;
        }
        angle[idx] = sum;
    }
}
