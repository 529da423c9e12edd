// Adds up ten years of rain. The blocks add their totals without atomicAdd.
#include <cstdio>

// ANCHOR: kernel
__global__ void rainfall(const int* mm, int* total, int days) {
    __shared__ int block_total;

    if (threadIdx.x == 0) {
        block_total = 0;
    }
    __syncthreads();

    int stride = gridDim.x * blockDim.x;
    int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int day = first; day < days; day += stride) {
        atomicAdd(&block_total, mm[day]);
    }
    __syncthreads();

    if (threadIdx.x == 0) {
        total[0] += block_total;               // WRONG: four blocks race
    }
}
// ANCHOR_END: kernel

int main() {
    const int days = 3650;
    int mm[days];
    for (int day = 0; day < days; ++day) {
        mm[day] = 1 + day % 5;
    }
    int *d_mm, *d_total;
    cudaMalloc(&d_mm, sizeof mm);
    cudaMalloc(&d_total, sizeof(int));
    cudaMemcpy(d_mm, mm, sizeof mm, cudaMemcpyHostToDevice);
    cudaMemset(d_total, 0, sizeof(int));

    rainfall<<<4, 256>>>(d_mm, d_total, days);

    int total;
    cudaMemcpy(&total, d_total, sizeof total, cudaMemcpyDeviceToHost);
    printf("%d mm in ten years, and 10950 expected\n", total);
    cudaFree(d_total);
    cudaFree(d_mm);
}
