// The kernel adds the pitch, which counts bytes, to a pointer to floats.
#include <cstdio>

const int ROWS = 3;
const int COLS = 6;

// ANCHOR: kernel
__global__ void flip(const float* in, float* out, size_t pitch,
                       int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        const float* from = in + row * pitch;  // pitch counts bytes
        float* to = out + (rows - 1 - row) * pitch;
        to[col] = from[col];
    }
}
// ANCHOR_END: kernel

int main() {
    float image[ROWS][COLS];
    for (int i = 0; i < ROWS * COLS; ++i) {
        image[i / COLS][i % COLS] = i;
    }

    float *d_in, *d_out;
    size_t width = COLS * sizeof(float);
    size_t pitch;
    cudaMallocPitch(&d_in, &pitch, width, ROWS);
    cudaMallocPitch(&d_out, &pitch, width, ROWS);
    cudaMemset(d_out, 0, pitch * ROWS);
    cudaMemcpy2D(d_in, pitch, image, width, width, ROWS,
                 cudaMemcpyHostToDevice);
    flip<<<1, dim3(32, 8)>>>(d_in, d_out, pitch, ROWS, COLS);
    cudaMemcpy2D(image, width, d_out, pitch, width, ROWS,
                 cudaMemcpyDeviceToHost);
    printf("%g\n", image[0][0]);
    cudaFree(d_in);
    cudaFree(d_out);
}
