// Exchanges red and blue in an image with four bytes for each pixel.
#include <cstdio>

// ANCHOR: kernel
__global__ void swap_red_blue(const uchar4* in, uchar4* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;  // my pixel
    if (i < n) {
        uchar4 pixel = in[i];                                     // (1)
        out[i] = make_uchar4(pixel.z, pixel.y, pixel.x, pixel.w);  // (2)
    }
}
// ANCHOR_END: kernel

int main() {
    constexpr int N = 64 * 64;
    uchar4 image[N];
    for (uchar4& pixel : image) {
        pixel = make_uchar4(200, 100, 50, 255);
    }
    uchar4 *d_in, *d_out;
    cudaMalloc(&d_in, sizeof image);
    cudaMalloc(&d_out, sizeof image);
    cudaMemcpy(d_in, image, sizeof image, cudaMemcpyHostToDevice);
    swap_red_blue<<<N / 256, 256>>>(d_in, d_out, N);
    cudaMemcpy(image, d_out, sizeof image, cudaMemcpyDeviceToHost);
    uchar4 last = image[N - 1];
    printf("the last pixel: %d %d %d %d\n", last.x, last.y, last.z, last.w);
    cudaFree(d_out);
    cudaFree(d_in);
}
