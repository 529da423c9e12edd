// A buffer is freed twice, because two variables own it.
#include <cstdio>

int main() {
    float *in, *out;
    cudaMalloc(&in, 400);
    out = in;
    cudaMemset(out, 0, 400);
    cudaFree(in);  // fixed:
    printf("%s\n", cudaGetErrorName(cudaFree(out)));
}
