#include <cstdio>
#include <vector>

// ANCHOR: kernel
__global__ void fade_out(const float* sound, float* faded, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float volume = 1.0f - float(i) / n;
        faded[i] = volume * sound[i];
    }
}
// ANCHOR_END: kernel

int main() {
    // ANCHOR: launch
    const int n = 1000;
    const int block = 256;
    const int grid = n / block;  // too few: the fraction is dropped
    // ANCHOR_END: launch

    std::vector<float> sound(n, 1.0f), faded(n);
    float *d_sound, *d_faded;
    cudaMalloc(&d_sound, n * sizeof(float));
    cudaMalloc(&d_faded, n * sizeof(float));
    cudaMemcpy(d_sound, sound.data(), n * sizeof(float),
               cudaMemcpyHostToDevice);

    fade_out<<<grid, block>>>(d_sound, d_faded, n);

    cudaMemcpy(faded.data(), d_faded, n * sizeof(float),
               cudaMemcpyDeviceToHost);
    printf("%d blocks of %d threads\n", grid, block);
    printf("sample %d is %g\n", n - 1, faded[n - 1]);
    cudaFree(d_sound);
    cudaFree(d_faded);
}
