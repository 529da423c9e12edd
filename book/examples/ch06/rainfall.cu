// Adds up 365 days of rain, and finds the wettest day.
#include <cstdio>

// ANCHOR: kernel
__global__ void rainfall(const int* mm, int* total, int* wettest,
                         int days) {
    int day = blockIdx.x * blockDim.x + threadIdx.x;
    if (day < days) {
        atomicAdd(&total[0], mm[day]);                             // (1)
        atomicMax(&wettest[0], mm[day]);                           // (2)
    }
}
// ANCHOR_END: kernel

int main() {
    const int days = 365;
    int mm[days];
    for (int day = 0; day < days; ++day) {
        mm[day] = 1 + day % 5;
    }
    int *d_mm, *d_total, *d_wettest;
    cudaMalloc(&d_mm, sizeof mm);
    cudaMalloc(&d_total, sizeof(int));
    cudaMalloc(&d_wettest, sizeof(int));
    cudaMemcpy(d_mm, mm, sizeof mm, cudaMemcpyHostToDevice);
    cudaMemset(d_total, 0, sizeof(int));
    cudaMemset(d_wettest, 0, sizeof(int));

    rainfall<<<2, 256>>>(d_mm, d_total, d_wettest, days);

    int total, wettest;
    cudaMemcpy(&total, d_total, sizeof total, cudaMemcpyDeviceToHost);
    cudaMemcpy(&wettest, d_wettest, sizeof wettest,
               cudaMemcpyDeviceToHost);
    printf("%d mm in the year, %d mm on the wettest day\n", total, wettest);
    cudaFree(d_wettest);
    cudaFree(d_total);
    cudaFree(d_mm);
}
