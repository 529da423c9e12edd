// Block 0 stores a message, but flag and data are ordinary variables.
#include <cstdio>

// ANCHOR: kernel
__global__ void message(int* data, int* ready, int* seen) {
    if (blockIdx.x == 0) {
        *data = 42;
        *ready = 1;                            // WRONG: nothing orders it
    } else {
        while (*ready == 0) {
        }
        *seen = *data;
    }
}
// ANCHOR_END: kernel

int main() {
    int *data, *ready, *seen;
    cudaMalloc(&data, sizeof(int));
    cudaMalloc(&ready, sizeof(int));
    cudaMalloc(&seen, sizeof(int));
    cudaMemset(ready, 0, sizeof(int));

    message<<<2, 1>>>(data, ready, seen);

    int result = 0;
    cudaMemcpy(&result, seen, sizeof result, cudaMemcpyDeviceToHost);
    printf("block 1 has seen %d\n", result);
    cudaFree(seen);
    cudaFree(ready);
    cudaFree(data);
}
