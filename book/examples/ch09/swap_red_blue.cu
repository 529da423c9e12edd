// Exchanges red and blue in an image of packed pixels.
#include <cstdio>

// ANCHOR: kernel
__global__ void swap_red_blue(const unsigned char* in,
                              unsigned char* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;  // my pixel
    if (i < n) {
        unsigned char red = in[3 * i];              // (1)
        unsigned char green = in[3 * i + 1];        // (2)
        unsigned char blue = in[3 * i + 2];         // (3)
        out[3 * i] = blue;
        out[3 * i + 1] = green;
        out[3 * i + 2] = red;
    }
}
// ANCHOR_END: kernel

int main() {
    constexpr int N = 64 * 64;
    unsigned char image[3 * N];
    for (int i = 0; i < N; ++i) {
        image[3 * i] = 200;
        image[3 * i + 1] = 100;
        image[3 * i + 2] = 50;
    }
    unsigned char *d_in, *d_out;
    cudaMalloc(&d_in, 3 * N);
    cudaMalloc(&d_out, 3 * N);
    cudaMemcpy(d_in, image, 3 * N, cudaMemcpyHostToDevice);
    swap_red_blue<<<N / 256, 256>>>(d_in, d_out, N);
    cudaMemcpy(image, d_out, 3 * N, cudaMemcpyDeviceToHost);
    printf("the last pixel: %d %d %d\n", image[3 * N - 3],
           image[3 * N - 2], image[3 * N - 1]);
    cudaFree(d_out);
    cudaFree(d_in);
}
