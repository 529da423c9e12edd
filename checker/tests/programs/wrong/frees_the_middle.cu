// The pointer that is freed was incremented before.
#include <cstdio>

int main() {
    float* all;
    cudaMalloc(&all, 400);
    float* walking = all;
    for (int i = 0; i < 10; ++i) cudaMemset(walking++, 0, 4);
    printf("%s\n", cudaGetErrorName(cudaFree(walking)));  // fixed:
    cudaFree(all);
}
