// Keeps every k-th sample of a signal.
#include <cstdio>
#include <vector>

// ANCHOR: kernel
__global__ void subsample(const float* in, float* out, int k, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sample = in[i * k];   // (1)
        out[i] = sample;            // (2)
    }
}
// ANCHOR_END: kernel

// ANCHOR: main
int main() {
    const int n = 4096;
    const int largest = 8;
    std::vector<float> signal(n * largest), kept(n);
    for (int i = 0; i < n * largest; ++i) {
        signal[i] = i;
    }
    float *d_signal, *d_kept;
    cudaMalloc(&d_signal, signal.size() * sizeof(float));
    cudaMalloc(&d_kept, n * sizeof(float));
    cudaMemcpy(d_signal, signal.data(), signal.size() * sizeof(float),
               cudaMemcpyHostToDevice);

    const int k = 2;
    subsample<<<(n + 127) / 128, 128>>>(d_signal, d_kept, k, n);

    cudaMemcpy(kept.data(), d_kept, n * sizeof(float),
               cudaMemcpyDeviceToHost);
    printf("%g %g %g ... %g\n", kept[0], kept[1], kept[2], kept[n - 1]);
    cudaFree(d_signal);
    cudaFree(d_kept);
}
// ANCHOR_END: main
