// Adds a fourth byte to each packed pixel, with one load for each pixel.
#include <cstdio>

// ANCHOR: kernel
__global__ void add_alpha(const unsigned char* in, uchar4* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const unsigned char* first = in + 3 * i;
        uchar4 pixel = *reinterpret_cast<const uchar4*>(first);  // <-- bug
        pixel.w = 255;
        out[i] = pixel;
    }
}
// ANCHOR_END: kernel

int main() {
    constexpr int N = 1024;
    unsigned char* d_in;
    uchar4* d_out;
    cudaMalloc(&d_in, 3 * N + 1);
    cudaMalloc(&d_out, N * sizeof(uchar4));
    cudaMemset(d_in, 7, 3 * N + 1);
    add_alpha<<<N / 256, 256>>>(d_in, d_out, N);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(error));
    cudaFree(d_out);
    cudaFree(d_in);
}
