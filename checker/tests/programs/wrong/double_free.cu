// Two owners of one buffer.
#include <cstdio>

int main() {
    float *in, *out;
    cudaMalloc(&in, 400);
    out = in;
    cudaMemset(out, 0, 400);
    cudaFree(in);  // fixed:
    printf("%s\n", cudaGetErrorName(cudaFree(out)));
}
