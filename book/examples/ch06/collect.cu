// Copies the days without rain to the front of another array.
#include <cstdio>

// ANCHOR: kernel
__global__ void collect_dry(const int* mm, int* dry, int* count,
                            int days) {
    int day = blockIdx.x * blockDim.x + threadIdx.x;
    if (day < days && mm[day] == 0) {
        int place = atomicAdd(count, 1);                           // (1)
        dry[place] = day;                                          // (2)
    }
}
// ANCHOR_END: kernel

int main() {
    const int days = 365;
    int mm[days], dry[days], count;
    for (int day = 0; day < days; ++day) {
        mm[day] = day % 5;
    }
    int *d_mm, *d_dry, *d_count;
    cudaMalloc(&d_mm, sizeof mm);
    cudaMalloc(&d_dry, sizeof dry);
    cudaMalloc(&d_count, sizeof(int));
    cudaMemcpy(d_mm, mm, sizeof mm, cudaMemcpyHostToDevice);
    cudaMemset(d_count, 0, sizeof(int));

    collect_dry<<<2, 256>>>(d_mm, d_dry, d_count, days);

    cudaMemcpy(&count, d_count, sizeof count, cudaMemcpyDeviceToHost);
    cudaMemcpy(dry, d_dry, count * sizeof(int), cudaMemcpyDeviceToHost);
    int sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += dry[i];
    }
    printf("%d dry days, and their numbers add up to %d\n", count, sum);
    cudaFree(d_count);
    cudaFree(d_dry);
    cudaFree(d_mm);
}
