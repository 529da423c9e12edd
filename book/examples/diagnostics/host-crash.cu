#include <cstdio>

int main() {
    float* x;
    cudaMalloc(&x, 100 * sizeof(float));
    x[0] = 1.0f;
    cudaFree(x);
}
