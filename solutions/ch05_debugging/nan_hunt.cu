// Idea    divide first: the ratio is below 1, and so is every power of it. The powers of x and y
//         themselves leave the range of a float, on either side.
// Work    one division per term instead of two.
// Notice  the first infinity has no visible effect: bottom is infinite, so the term is
//         0, and the sum merely stops growing. NaN comes some steps later, when top is infinite as
//         well. And for points near 0 the same happens with 0 / 0.

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
        const float ratio = y[idx] / x[idx];  // below 1
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
