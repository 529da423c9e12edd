#include <cstdlib>

int main() {
    float* x;
    if (cudaMalloc(&x, 100 * sizeof(float)) != cudaSuccess) {
        return 1;
    }
    cudaFree(x);
    cudaFree(x);
}
