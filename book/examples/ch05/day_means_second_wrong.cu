#include <cstdio>

// ANCHOR: kernel
constexpr int DAYS = 200;
constexpr int HOURS = 24;
constexpr int BLOCK = 64;

// means[day] = the mean of the 24 readings of that day
__global__ void day_means(const float* readings, float* means) {
    int day = blockIdx.x * BLOCK + threadIdx.x;

    if (day < DAYS) {
        for (int hour = 0; hour < HOURS; ++hour) {
            means[day] += readings[day * HOURS + hour] / HOURS;
        }
    }
}
// ANCHOR_END: kernel

int main() {
    float readings[DAYS * HOURS], means[DAYS];
    for (int i = 0; i < DAYS * HOURS; ++i) {
        readings[i] = i / HOURS % 30;  // the same all day
    }

    float *d_readings, *d_means;
    cudaMalloc(&d_readings, sizeof(readings));
    cudaMalloc(&d_means, sizeof(means));
    cudaMemcpy(d_readings, readings, sizeof(readings),
               cudaMemcpyHostToDevice);

    day_means<<<(DAYS + BLOCK - 1) / BLOCK, BLOCK>>>(d_readings, d_means);

    cudaMemcpy(means, d_means, sizeof(means), cudaMemcpyDeviceToHost);
    printf("means: %g %g %g ... %g\n", means[0], means[1], means[2],
           means[DAYS - 1]);

    cudaFree(d_means);
    cudaFree(d_readings);
}
