// Finds the least value of a pixel and its eight neighbours, in each channel
// of an image.
#include <cstdio>
#include <vector>

// ANCHOR: kernel
// blocks of 16 x 16 threads; the channels of an image follow each other
__global__ void erode(const float* in, float* out, int channels, int height,
                      int width) {
    __shared__ float tile[18][18];
    int x = blockIdx.x * 16 + threadIdx.x;
    int y = blockIdx.y * 16 + threadIdx.y;
    for (int c = 0; c < channels; ++c) {
        const float* image = in + c * height * width;
        for (int k = threadIdx.y * 16 + threadIdx.x; k < 18 * 18;
             k += 256) {                                               // (1)
            int row = min(max(int(blockIdx.y) * 16 + k / 18 - 1, 0),
                          height - 1);                                 // (2)
            int col = min(max(int(blockIdx.x) * 16 + k % 18 - 1, 0),
                          width - 1);
            tile[k / 18][k % 18] = image[row * width + col];
        }
        __syncthreads();                                               // (3)
        float least = tile[threadIdx.y + 1][threadIdx.x + 1];
        for (int j = 0; j < 3; ++j) {
            for (int i = 0; i < 3; ++i) {
                least = fminf(least, tile[threadIdx.y + j][threadIdx.x + i]);
            }
        }
        if (x < width && y < height) {
            out[(c * height + y) * width + x] = least;
        }
        __syncthreads();                                               // (4)
    }
}
// ANCHOR_END: kernel

int main() {
    const int channels = 3, height = 20, width = 30;
    const int n = channels * height * width;
    std::vector<float> image(n);
    for (int i = 0; i < n; ++i) {
        image[i] = (i * 37) % 101;
    }
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    cudaMemcpy(in, image.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    erode<<<dim3(2, 2), dim3(16, 16)>>>(in, out, channels, height, width);
    std::vector<float> least(n);
    cudaMemcpy(least.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("pixel (7, 3) of channel 2: %.0f, eroded %.0f\n",
           image[(2 * height + 3) * width + 7],
           least[(2 * height + 3) * width + 7]);
    cudaFree(in);
    cudaFree(out);
}
