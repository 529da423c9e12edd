// Evaluates polynomials whose degree is a parameter of the template.
#include <cstdio>

// ANCHOR: kernel
template <int DEGREE>                                              // (1)
__global__ void evaluate(const float* coefficients, const float* x,
                         float* y, int n) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        float value = coefficients[DEGREE];
        for (int k = DEGREE - 1; k >= 0; --k) {                    // (2)
            value = value * x[idx] + coefficients[k];
        }
        y[idx] = value;
    }
}
// ANCHOR_END: kernel

// ANCHOR: launch
void launch(int degree, const float* coefficients, const float* x,
            float* y, int n) {
    int grid = (n + 255) / 256;
    switch (degree) {                                              // (1)
        case 1: evaluate<1><<<grid, 256>>>(coefficients, x, y, n); break;
        case 2: evaluate<2><<<grid, 256>>>(coefficients, x, y, n); break;
        case 3: evaluate<3><<<grid, 256>>>(coefficients, x, y, n); break;
        default: printf("there is no kernel for degree %d\n", degree);
    }
}
// ANCHOR_END: launch

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
        launch(degree, d_coefficients, d_x, d_y, n);
        cudaMemcpy(y, d_y, sizeof y, cudaMemcpyDeviceToHost);
        printf("degree %d: p(%.1f) = %.3f\n", degree, x[3], y[3]);
    }
    cudaFree(d_y);
    cudaFree(d_x);
    cudaFree(d_coefficients);
}
