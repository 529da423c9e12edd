// Adds up 365 days of rain, but without atomic operations.
#include <cstdio>

// ANCHOR: kernel
__global__ void rainfall(const int* mm, int* total, int days) {
    int day = blockIdx.x * blockDim.x + threadIdx.x;
    if (day < days) {
        total[0] += mm[day];                           // WRONG: a race
    }
}
// ANCHOR_END: kernel

int main() {
    const int days = 365;
    int mm[days];
    for (int day = 0; day < days; ++day) {
        mm[day] = 1 + day % 5;
    }
    int *d_mm, *d_total;
    cudaMalloc(&d_mm, sizeof mm);
    cudaMalloc(&d_total, sizeof(int));
    cudaMemcpy(d_mm, mm, sizeof mm, cudaMemcpyHostToDevice);
    cudaMemset(d_total, 0, sizeof(int));

    rainfall<<<2, 256>>>(d_mm, d_total, days);

    int total;
    cudaMemcpy(&total, d_total, sizeof total, cudaMemcpyDeviceToHost);
    printf("%d mm in the year, and 1095 expected\n", total);
    cudaFree(d_total);
    cudaFree(d_mm);
}
