// Computes the grey value of pixels of four bytes, with one instruction each.
#include <cstdio>

// ANCHOR: kernel
// gray = (77 red + 150 green + 29 blue) / 256 for pixels of four bytes
__global__ void gray(const unsigned* pixels, unsigned char* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned weights = 77 | 150 << 8 | 29 << 16;                    // (1)
        unsigned sum = __dp4a(pixels[i], weights, 128u);                // (2)
        out[i] = sum >> 8;                                              // (3)
    }
}
// ANCHOR_END: kernel

int main() {
    const int n = 4;
    uchar4 colours[n] = {{255, 255, 255, 0}, {255, 0, 0, 0},
                         {0, 255, 0, 0}, {10, 20, 30, 99}};
    unsigned* pixels;
    unsigned char *out, values[n];
    cudaMalloc(&pixels, sizeof(colours));
    cudaMalloc(&out, n);
    cudaMemcpy(pixels, colours, sizeof(colours), cudaMemcpyHostToDevice);
    gray<<<1, 32>>>(pixels, out, n);
    cudaMemcpy(values, out, n, cudaMemcpyDeviceToHost);
    printf("white %d, red %d, green %d, dark blue %d\n", values[0], values[1],
           values[2], values[3]);
    cudaFree(pixels);
    cudaFree(out);
}
