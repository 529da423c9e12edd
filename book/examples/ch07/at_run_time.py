import cupy as cp

SOURCE = r"""
extern "C" __global__ void evaluate(const float* coefficients,
                                    const float* x, float* y, int n) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        float value = coefficients[DEGREE];
        for (int k = DEGREE - 1; k >= 0; --k) {
            value = value * x[idx] + coefficients[k];
        }
        y[idx] = value;
    }
}
"""

degree = 3
source = SOURCE.replace("DEGREE", str(degree))                      # (1)
evaluate = cp.RawKernel(source, "evaluate")                         # (2)

coefficients = cp.array([1, -2, 0, 3], dtype=cp.float32)
x = cp.arange(1000, dtype=cp.float32) * cp.float32(0.5)
y = cp.empty_like(x)
evaluate((4,), (256,), (coefficients, x, y, cp.int32(x.size)))      # (3)
print(y[3])
