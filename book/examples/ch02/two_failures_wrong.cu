// Two calls fail, and the program prints the error codes that it gets.
#include <cstdio>

// ANCHOR: report
// Prints the error, if there is one.
bool ok(cudaError_t code, const char* what) {
    if (code == cudaSuccess) {
        return true;
    }
    printf("%s: %s (%s)\n", what, cudaGetErrorName(code),
           cudaGetErrorString(code));
    return false;
}
// ANCHOR_END: report

// ANCHOR: kernel
__global__ void add_ten(int* data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        data[i] += 10;
    }
}
// ANCHOR_END: kernel

// ANCHOR: main
int main() {
    const int n = 4;
    int data[n] = {1, 2, 3, 4};
    size_t bytes = n * sizeof(int);

    int* d_data;
    size_t too_much = 64ull << 40;                                // 64 TiB
    ok(cudaMalloc(&d_data, too_much), "cudaMalloc of 64 TiB");    // (1)

    ok(cudaMalloc(&d_data, bytes), "cudaMalloc of 16 bytes");
    ok(cudaMemcpy(d_data, data, bytes, cudaMemcpyHostToDevice), "copy in");

    add_ten<<<1, 2048>>>(d_data, n);                              // (2)
    ok(cudaGetLastError(), "launch with 2048 threads");

    add_ten<<<1, 256>>>(d_data, n);                               // (3)
    ok(cudaGetLastError(), "launch with 256 threads");
    ok(cudaDeviceSynchronize(), "the kernel");                    // (4)

    ok(cudaMemcpy(data, d_data, bytes, cudaMemcpyDeviceToHost), "copy out");
    ok(cudaFree(d_data), "cudaFree");
    printf("%d %d %d %d\n", data[0], data[1], data[2], data[3]);
}
// ANCHOR_END: main
