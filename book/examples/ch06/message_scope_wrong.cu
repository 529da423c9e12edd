// Block 0 stores a message, but the scope of the flag is one block.
#include <cstdio>
#include <cuda/atomic>

// ANCHOR: kernel
using Flag = cuda::atomic_ref<int, cuda::thread_scope_block>;  // WRONG

__global__ void message(int* data, int* ready, int* seen) {
    Flag flag(*ready);
    if (blockIdx.x == 0) {
        *data = 42;
        flag.store(1, cuda::memory_order_release);
    } else {
        while (flag.load(cuda::memory_order_acquire) == 0) {
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
