// Adds up the ratings of films. Several ratings may be for the same film.
#include <cstdio>

// ANCHOR: kernel
__global__ void add_ratings(const int* film, const float* stars, float* sum,
                            int* count, int n) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        atomicAdd(&sum[film[idx]], stars[idx]);        // (1)
        atomicAdd(&count[film[idx]], 1);
    }
}
// ANCHOR_END: kernel

int main() {
    const int n = 1000, films = 4;
    int *film, *count;
    float *stars, *sum;
    cudaMallocManaged(&film, n * sizeof(int));
    cudaMallocManaged(&stars, n * sizeof(float));
    cudaMallocManaged(&sum, films * sizeof(float));
    cudaMallocManaged(&count, films * sizeof(int));
    for (int i = 0; i < n; ++i) {
        film[i] = i % 7 % films;
        stars[i] = 1.0f + film[i] + i % 3 * 0.5f;
    }
    cudaMemset(sum, 0, films * sizeof(float));
    cudaMemset(count, 0, films * sizeof(int));

    add_ratings<<<4, 256>>>(film, stars, sum, count, n);
    cudaDeviceSynchronize();

    for (int k = 0; k < films; ++k) {
        printf("film %d: %3d ratings, mean %.2f\n", k, count[k],
               sum[k] / count[k]);
    }
    cudaFree(count);
    cudaFree(sum);
    cudaFree(stars);
    cudaFree(film);
}
