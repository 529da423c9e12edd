// Turns an image upside down on the device, in rows with a pitch.
#include <cstdio>

const int ROWS = 3;
const int COLS = 6;

// ANCHOR: kernel
__global__ void flip(const char* in, char* out, size_t pitch,
                       int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        const float* from = (const float*)(in + row * pitch);     // (1)
        float* to = (float*)(out + (rows - 1 - row) * pitch);     // (2)
        to[col] = from[col];                                      // (3)
    }
}
// ANCHOR_END: kernel

// ANCHOR: main
int main() {
    float image[ROWS][COLS];
    for (int i = 0; i < ROWS * COLS; ++i) {
        image[i / COLS][i % COLS] = i;
    }

    char *d_in, *d_out;
    size_t width = COLS * sizeof(float);                          // (4)
    size_t pitch;
    cudaMallocPitch(&d_in, &pitch, width, ROWS);                  // (5)
    cudaMallocPitch(&d_out, &pitch, width, ROWS);
    printf("a row has %zu bytes, and the pitch is %zu\n", width, pitch);

    cudaMemcpy2D(d_in, pitch, image, width, width, ROWS,
                 cudaMemcpyHostToDevice);                         // (6)
    dim3 block(32, 8);
    dim3 grid((COLS + 31) / 32, (ROWS + 7) / 8);
    flip<<<grid, block>>>(d_in, d_out, pitch, ROWS, COLS);
    cudaMemcpy2D(image, width, d_out, pitch, width, ROWS,
                 cudaMemcpyDeviceToHost);                         // (7)

    for (int row = 0; row < ROWS; ++row) {
        for (int col = 0; col < COLS; ++col) {
            printf("%4g", image[row][col]);
        }
        printf("\n");
    }
    cudaFree(d_in);
    cudaFree(d_out);
}
// ANCHOR_END: main
