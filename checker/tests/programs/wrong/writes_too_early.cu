// The host writes the next numbers while the last ones are still being copied.
#include <cstdio>

int main() {
    int *x, *staging;
    cudaMalloc(&x, 2 * sizeof(int));
    cudaMallocHost(&staging, sizeof(int));
    for (int i = 0; i < 2; ++i) {
        staging[0] = i + 1;
        cudaMemcpyAsync(x + i, staging, sizeof(int), cudaMemcpyHostToDevice);
        // fixed: cudaDeviceSynchronize();
    }
    int seen[2];
    cudaMemcpy(seen, x, sizeof(seen), cudaMemcpyDeviceToHost);
    printf("%d\n", seen[0]);
    cudaFree(x);
    cudaFreeHost(staging);
}
