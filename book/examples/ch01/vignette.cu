#include <cstdio>

// ANCHOR: kernel
__global__ void vignette(const float* in, float* out, int width,
                         int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;              // (1)
    int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height) {                              // (2)
        float dx = 2.0f * x / (width - 1) - 1.0f;               // (3)
        float dy = 2.0f * y / (height - 1) - 1.0f;
        float light = 1.0f - 0.5f * (dx * dx + dy * dy);
        out[y * width + x] = light * in[y * width + x];         // (4)
    }
}
// ANCHOR_END: kernel

int main() {
    const int width = 101, height = 51;
    float *in, *out;
    cudaMallocManaged(&in, width * height * sizeof(float));
    cudaMallocManaged(&out, width * height * sizeof(float));
    for (int i = 0; i < width * height; i++) {
        in[i] = 1.0f;
    }

    // ANCHOR: launch
    dim3 block(32, 8);                                          // (5)
    dim3 grid((width + 31) / 32, (height + 7) / 8);             // (6)
    vignette<<<grid, block>>>(in, out, width, height);
    // ANCHOR_END: launch
    cudaDeviceSynchronize();

    printf("%u x %u blocks\n", grid.x, grid.y);
    printf("in the centre %g, in a corner %g\n",
           out[25 * width + 50], out[0]);
    cudaFree(in);
    cudaFree(out);
}
