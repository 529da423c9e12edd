// Exchanges red and blue of packed pixels, four pixels in each thread.
#include <cstdio>

// ANCHOR: kernel
__global__ void swap_four(const uchar4* in, uchar4* out, int fours) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;  // my four pixels
    if (i < fours) {
        uchar4 a = in[3 * i];      // r g b r
        uchar4 b = in[3 * i + 1];  // g b r g
        uchar4 c = in[3 * i + 2];  // b r g b
        out[3 * i] = make_uchar4(a.z, a.y, a.x, b.y);
        out[3 * i + 1] = make_uchar4(b.x, a.w, c.x, b.w);
        out[3 * i + 2] = make_uchar4(b.z, c.w, c.z, c.y);
    }
}
// ANCHOR_END: kernel

int main() {
    constexpr int N = 64 * 64;
    unsigned char image[3 * N];
    for (int i = 0; i < 3 * N; ++i) {
        image[i] = i % 251;
    }
    uchar4 *d_in, *d_out;
    cudaMalloc(&d_in, sizeof image);
    cudaMalloc(&d_out, sizeof image);
    cudaMemcpy(d_in, image, sizeof image, cudaMemcpyHostToDevice);
    swap_four<<<N / 4 / 256, 256>>>(d_in, d_out, N / 4);
    unsigned char swapped[3 * N];
    cudaMemcpy(swapped, d_out, sizeof image, cudaMemcpyDeviceToHost);
    int right = 0;
    for (int i = 0; i < 3 * N; ++i) {
        right += swapped[i] == image[i + 2 - 2 * (i % 3)];
    }
    printf("%d of %d bytes are right\n", right, 3 * N);
    cudaFree(d_out);
    cudaFree(d_in);
}
