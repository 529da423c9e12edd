#include <cmath>
#include <cstdio>
#include <vector>

// ANCHOR: kernel
constexpr int LEVELS = 1 << 14;  // a sensor's 14 bits: 16 384 levels
constexpr int BLOCK = 512;

// image[i] = curve[raw[i]], with the whole curve in shared memory
__global__ void tone_curve(const unsigned short* raw, const float* curve,
                           float* image, int n) {
    extern __shared__ float table[];                        // 64 KiB
    for (int i = threadIdx.x; i < LEVELS; i += BLOCK) {
        table[i] = curve[i];
    }
    __syncthreads();

    int threads = gridDim.x * BLOCK;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += threads) {
        image[i] = table[raw[i]];
    }
}
// ANCHOR_END: kernel

int main() {
    constexpr int n = 100000;
    std::vector<unsigned short> raw(n);
    std::vector<float> curve(LEVELS), image(n);
    for (int i = 0; i < LEVELS; ++i) {
        curve[i] = std::sqrt(float(i) / LEVELS);
    }
    for (int i = 0; i < n; ++i) {
        raw[i] = i * 7919u % LEVELS;
    }

    unsigned short* d_raw;
    float *d_curve, *d_image;
    cudaMalloc(&d_raw, n * sizeof(unsigned short));
    cudaMalloc(&d_curve, LEVELS * sizeof(float));
    cudaMalloc(&d_image, n * sizeof(float));
    cudaMemcpy(d_raw, raw.data(), n * sizeof(unsigned short),
               cudaMemcpyHostToDevice);
    cudaMemcpy(d_curve, curve.data(), LEVELS * sizeof(float),
               cudaMemcpyHostToDevice);

    // ANCHOR: launch
    int most;
    cudaDeviceGetAttribute(&most,
                           cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
    int bytes = LEVELS * sizeof(float);
    printf("a block needs %d bytes and may have %d\n", bytes, most);

    // more than 48 KiB, but the program hasn't requested it
    tone_curve<<<4, BLOCK, bytes>>>(d_raw, d_curve, d_image, n);
    cudaError_t status = cudaGetLastError();
    printf("launch: %s\n", cudaGetErrorString(status));
    // ANCHOR_END: launch

    if (status == cudaSuccess) {
        cudaMemcpy(image.data(), d_image, n * sizeof(float),
                   cudaMemcpyDeviceToHost);
        int wrong = 0;
        for (int i = 0; i < n; ++i) {
            wrong += image[i] != curve[raw[i]];
        }
        printf("%d of %d pixels are wrong\n", wrong, n);
    }

    cudaFree(d_image);
    cudaFree(d_curve);
    cudaFree(d_raw);
    return status == cudaSuccess ? 0 : 1;
}
