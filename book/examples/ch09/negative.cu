// Inverts an image of packed pixels, four bytes at a time.
#include <cstdio>

// ANCHOR: kernel
__global__ void negative(const uchar4* in, uchar4* out, int words) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;  // my word
    if (i < words) {
        uchar4 four = in[i];
        out[i] = make_uchar4(255 - four.x, 255 - four.y,
                             255 - four.z, 255 - four.w);
    }
}
// ANCHOR_END: kernel

int main() {
    constexpr int N = 64 * 64;      // pixels
    constexpr int BYTES = 3 * N;    // a multiple of 4
    unsigned char image[BYTES];
    for (int i = 0; i < N; ++i) {
        image[3 * i] = 200;
        image[3 * i + 1] = 100;
        image[3 * i + 2] = 50;
    }
    unsigned char *d_in, *d_out;
    cudaMalloc(&d_in, BYTES);
    cudaMalloc(&d_out, BYTES);
    cudaMemcpy(d_in, image, BYTES, cudaMemcpyHostToDevice);

    // ANCHOR: launch
    negative<<<BYTES / 4 / 256, 256>>>(
        reinterpret_cast<const uchar4*>(d_in),
        reinterpret_cast<uchar4*>(d_out), BYTES / 4);
    // ANCHOR_END: launch

    cudaMemcpy(image, d_out, BYTES, cudaMemcpyDeviceToHost);
    printf("the last pixel: %d %d %d\n", image[BYTES - 3],
           image[BYTES - 2], image[BYTES - 1]);
    cudaFree(d_out);
    cudaFree(d_in);
}
