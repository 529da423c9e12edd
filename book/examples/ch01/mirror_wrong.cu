#include <cstdio>

// ANCHOR: kernel
__global__ void mirror(const float* in, float* out, int width) {
    int x = threadIdx.y;  // swapped
    int y = threadIdx.x;
    int row_start = y * width;

    out[row_start + x] = in[row_start + (width - 1 - x)];
}
// ANCHOR_END: kernel

int main() {
    const int width = 5, height = 3;
    float *in, *out;
    cudaMallocManaged(&in, width * height * sizeof(float));
    cudaMallocManaged(&out, width * height * sizeof(float));
    for (int i = 0; i < width * height; i++) {
        in[i] = i;
    }

    dim3 block(width, height);
    mirror<<<1, block>>>(in, out, width);
    cudaDeviceSynchronize();

    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            printf("%4g", out[y * width + x]);
        }
        printf("\n");
    }
    cudaFree(in);
    cudaFree(out);
}
