// Each block writes a part, and all blocks wait until each has arrived.
#include <cstdio>

__device__ unsigned arrived;
__device__ float part[64];

__global__ void all(float* out) {
    if (threadIdx.x == 0) {
        part[blockIdx.x] = blockIdx.x;
        atomicAdd(&arrived, 1u);  // fixed: __threadfence(); atomicAdd(&arrived, 1u);
        while (atomicAdd(&arrived, 0u) < gridDim.x) {}
        float sum = 0;  // fixed: __threadfence(); float sum = 0;
        for (unsigned i = 0; i < gridDim.x; ++i) sum += part[i];
        out[blockIdx.x] = sum;
    }
}

int main() {
    float *d, h;
    cudaMalloc(&d, 64 * sizeof(float));
    all<<<64, 64>>>(d);
    cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g\n", h);
    cudaFree(d);
}
