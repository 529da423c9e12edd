// A kernel writes through a null pointer. Which call reports the error?
#include <cstdio>

// ANCHOR: kernel
__global__ void number(int* data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        data[i] = i;
    }
}
// ANCHOR_END: kernel

// ANCHOR: main
void show(const char* what, cudaError_t code) {
    printf("%-24s%s\n", what, cudaGetErrorName(code));
}

int main() {
    const int n = 1000;
    int* d_data = nullptr;  // cudaMalloc is missing
    int first;

    number<<<4, 256>>>(d_data, n);
    show("cudaGetLastError", cudaGetLastError());            // (1)
    show("cudaDeviceSynchronize", cudaDeviceSynchronize());  // (2)
    show("cudaMalloc", cudaMalloc(&d_data, n * sizeof(int)));  // (3)
    show("cudaMemcpy", cudaMemcpy(&first, d_data, sizeof(int),
                                  cudaMemcpyDeviceToHost));
    show("cudaFree", cudaFree(d_data));
}
// ANCHOR_END: main
