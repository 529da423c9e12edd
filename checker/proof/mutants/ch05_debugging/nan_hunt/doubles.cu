// expect: not-a-number
// A double reaches further, and not far enough.

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
        double top = y[idx];     // y, y^3, y^5 ...
        double bottom = x[idx];  // x, x^3, x^5 ...
        float sign = 1.0f;
        double sum = 0.0;
        for (int step = 0; step < TERMS; step++) {
            const double term = top / bottom / (2 * step + 1);
            sum += sign * term;
            sign = -sign;
            top *= double(y[idx]) * y[idx];
            bottom *= double(x[idx]) * x[idx];
        }
        angle[idx] = sum;
    }
}
