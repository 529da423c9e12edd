// Applies a tone curve whose coefficients are in constant memory.
#include <cmath>
#include <cstdio>

// ANCHOR: kernel
__constant__ float curve[4];                                      // (1)

__global__ void apply_curve(float* image, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = image[i];
        float y = 0.0f;
        for (int k = 3; k >= 0; --k) {
            y = y * x + curve[k];                                 // (2)
        }
        image[i] = y;
    }
}
// ANCHOR_END: kernel

int main() {
    constexpr int N = 1024;
    float image[N];
    for (int i = 0; i < N; ++i) {
        image[i] = float(i) / (N - 1);
    }
    float* d_image = nullptr;
    cudaMalloc(&d_image, sizeof image);
    cudaMemcpy(d_image, image, sizeof image, cudaMemcpyHostToDevice);

    // ANCHOR: host
    float contrast[4] = {0.0f, 0.0f, 3.0f, -2.0f};  // 3 x^2 - 2 x^3
    cudaMemcpyToSymbol(curve, contrast, sizeof contrast);         // (3)
    apply_curve<<<N / 256, 256>>>(d_image, N);
    // ANCHOR_END: host

    cudaMemcpy(image, d_image, sizeof image, cudaMemcpyDeviceToHost);
    printf("0 -> %.3f, 1/4 -> %.3f, 1/2 -> %.3f, 1 -> %.3f\n", image[0],
           image[N / 4], image[N / 2], image[N - 1]);
    cudaFree(d_image);
}
