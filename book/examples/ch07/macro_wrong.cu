// A macro without parentheses makes the program request too little memory.
#include <cstdio>

// ANCHOR: kernel
#ifndef DEGREE
#define DEGREE 3
#endif
#define TERMS DEGREE + 1                       // WRONG: no parentheses

__global__ void all_ones(float* coefficients) {
    if (threadIdx.x < TERMS) {
        coefficients[threadIdx.x] = 1.0f;
    }
}
// ANCHOR_END: kernel

int main() {
    // ANCHOR: launch
    float* d_coefficients;
    cudaMalloc(&d_coefficients, TERMS * sizeof(float));
    all_ones<<<1, 32>>>(d_coefficients);
    // ANCHOR_END: launch
    cudaDeviceSynchronize();
    printf("%d terms\n", TERMS);
    cudaFree(d_coefficients);
}
