// Thread 3 counts down in steps of 2 and jumps over 0, while the others wait for it.
#include <cstdio>

__global__ void countdown(int* out, int n) {
    int left = n;
    if (threadIdx.x == 3) {
        while (left != 0) {
            left = left > 0 ? left - 2 : left + 2;  // fixed: --left;
        }
    }
    __syncthreads();
    out[threadIdx.x] = left;
}

int main() {
    int *d, h[32] = {};
    cudaMalloc(&d, sizeof h);
    countdown<<<1, 32>>>(d, 5);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[0], h[3]);
    cudaFree(d);
}
