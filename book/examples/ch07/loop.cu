// Evaluates polynomials whose degree is an argument of the kernel.
#include <cstdio>

// ANCHOR: kernel
__global__ void evaluate(const float* coefficients, int degree,
                         const float* x, float* y, int n) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        float value = coefficients[degree];
        for (int k = degree - 1; k >= 0; --k) {
            value = value * x[idx] + coefficients[k];
        }
        y[idx] = value;
    }
}
// ANCHOR_END: kernel

int main() {
    const int n = 1000;
    const float coefficients[] = {1, -2, 0, 3};
    float x[n], y[n];
    for (int i = 0; i < n; ++i) {
        x[i] = i * 0.5f;
    }
    float *d_coefficients, *d_x, *d_y;
    cudaMalloc(&d_coefficients, sizeof coefficients);
    cudaMalloc(&d_x, sizeof x);
    cudaMalloc(&d_y, sizeof y);
    cudaMemcpy(d_coefficients, coefficients, sizeof coefficients,
               cudaMemcpyHostToDevice);
    cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice);

    for (int degree = 1; degree <= 3; ++degree) {
        evaluate<<<4, 256>>>(d_coefficients, degree, d_x, d_y, n);
        cudaMemcpy(y, d_y, sizeof y, cudaMemcpyDeviceToHost);
        printf("degree %d: p(%.1f) = %.3f\n", degree, x[3], y[3]);
    }
    cudaFree(d_y);
    cudaFree(d_x);
    cudaFree(d_coefficients);
}
