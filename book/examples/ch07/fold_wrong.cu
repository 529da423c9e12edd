// Threads without a number don't write their slot.
#include <cstdio>

// ANCHOR: kernel
__global__ void smallest(const int* in, int* out, int n) {
    __shared__ int slots[32];
    if (threadIdx.x < n) {
        slots[threadIdx.x] = in[threadIdx.x];
    }                                  // WRONG: other slots keep old values
    __syncthreads();

    for (int half = 16; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            slots[threadIdx.x] = min(slots[threadIdx.x],
                                     slots[threadIdx.x + half]);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        *out = slots[0];
    }
}
// ANCHOR_END: kernel

int main() {
    const int n = 5;
    int in[n] = {60, 28, 76, 124, 92}, out;
    int *d_in, *d_out;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof out);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    smallest<<<1, 32>>>(d_in, d_out, n);
    cudaMemcpy(&out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    printf("the smallest is %d\n", out);
    cudaFree(d_out);
    cudaFree(d_in);
}
