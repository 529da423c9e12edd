// Defines a macro that reports where a call failed, and then ends the program.
#include <cstdio>
#include <cstdlib>

// ANCHOR: macro
#define CHECK(call)                                                     \
    do {                                                                \
        cudaError_t code = (call);                                      \
        if (code != cudaSuccess) {                                      \
            printf("%s:%d: %s\n", __FILE__, __LINE__,                   \
                   cudaGetErrorString(code));                           \
            exit(1);                                                    \
        }                                                               \
    } while (0)
// ANCHOR_END: macro

// ANCHOR: kernel
__global__ void number(int* data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        data[i] = i;
    }
}
// ANCHOR_END: kernel

int main() {
    const int n = 3;
    int data[n];
    int* d_data;
    // ANCHOR: use
    CHECK(cudaMalloc(&d_data, n * sizeof(int)));
    number<<<1, 32>>>(d_data, n);
    CHECK(cudaGetLastError());
    // ANCHOR_END: use
    CHECK(cudaMemcpy(data, d_data, n * sizeof(int), cudaMemcpyDeviceToHost));
    printf("%d %d %d\n", data[0], data[1], data[2]);
    CHECK(cudaFree(d_data));
}
