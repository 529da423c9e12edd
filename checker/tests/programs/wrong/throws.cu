// An exception that is not caught.
#include <cstdio>
#include <stdexcept>

static void check(cudaError_t code) {
    if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code));
}

int main() {
    float* x;
    check(cudaMalloc(&x, 400));
    check(cudaMemset(x, 0, 4000));  // fixed: check(cudaMemset(x, 0, 400));
    check(cudaFree(x));
    printf("done\n");
}
