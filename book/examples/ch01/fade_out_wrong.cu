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
    const int n = 1000;
    const size_t bytes = n * sizeof(float);
    std::vector<float> sound(n, 1.0f), faded(n);
    float *d_sound, *d_faded;
    cudaMalloc(&d_sound, bytes);
    cudaMalloc(&d_faded, bytes);
    cudaMemcpy(d_sound, sound.data(), bytes, cudaMemcpyHostToDevice);

    // ANCHOR: launch
    const int block = 256;
    const int grid = n / block;  // rounds down
    fade_out<<<grid, block>>>(d_sound, d_faded, n);
    cudaMemcpy(faded.data(), d_faded, bytes, cudaMemcpyDeviceToHost);
    // ANCHOR_END: launch

    printf("%d blocks of %d threads\n", grid, block);
    printf("sample %d is %g\n", n - 1, faded[n - 1]);
    cudaFree(d_sound);
    cudaFree(d_faded);
}
