// The kernel writes the sum only if n is positive, so the four bytes that are copied back have no value.
#include <cstdio>

__global__ void sum(const float* x, int n, float* result) {
    if (n > 0) *result = x[0] + x[n - 1];
}

int main() {
    float *x, *result, host = -1;
    cudaMalloc(&x, 4 * sizeof(float));
    cudaMalloc(&result, sizeof(float));
    cudaMemset(x, 0, 4 * sizeof(float));
    sum<<<1, 1>>>(x, 0, result);  // fixed: sum<<<1, 1>>>(x, 4, result);
    cudaMemcpy(&host, result, sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", host);
    cudaFree(x);
    cudaFree(result);
}
