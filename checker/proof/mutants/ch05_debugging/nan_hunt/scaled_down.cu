// expect: not-a-number
// Divides both by a hundred: saves the points far out, and loses those near 0.

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
        float top = y[idx] / 100.0f;     // y, y^3, y^5 ...
        float bottom = x[idx] / 100.0f;  // x, x^3, x^5 ...
        float sign = 1.0f;
        float sum = 0.0f;
        for (int step = 0; step < TERMS; step++) {
            const float term = top / bottom / (2 * step + 1);
            sum += sign * term;
            sign = -sign;
            top *= y[idx] / 100.0f * y[idx] / 100.0f;
            bottom *= x[idx] / 100.0f * x[idx] / 100.0f;
        }
        angle[idx] = sum;
    }
}
