// Copies the days without rain to the front of another array, in order.
#include <cstdio>

// ANCHOR: kernel
constexpr int BLOCK = 512;

__global__ void collect_dry(const int* mm, int* dry, int* count,
                            int days) {
    __shared__ int sums[BLOCK];

    int day = threadIdx.x;
    int is_dry = day < days && mm[day] == 0;                       // (1)
    sums[day] = is_dry;
    __syncthreads();

    for (int distance = 1; distance < BLOCK; distance *= 2) {      // (2)
        int before = day >= distance ? sums[day - distance] : 0;
        __syncthreads();
        sums[day] += before;
        __syncthreads();
    }

    if (is_dry) {
        dry[sums[day] - 1] = day;                                  // (3)
    }
    if (day == BLOCK - 1) {
        *count = sums[day];                                        // (4)
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

    collect_dry<<<1, BLOCK>>>(d_mm, d_dry, d_count, days);

    cudaMemcpy(&count, d_count, sizeof count, cudaMemcpyDeviceToHost);
    cudaMemcpy(dry, d_dry, count * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d dry days: %d %d %d ... %d\n", count, dry[0], dry[1], dry[2],
           dry[count - 1]);
    cudaFree(d_count);
    cudaFree(d_dry);
    cudaFree(d_mm);
}
