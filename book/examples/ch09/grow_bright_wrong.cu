// Fills the four sides of a tile's halo, but not its corners.
#include <cstdio>

// ANCHOR: kernel
constexpr int TILE = 16;        // pixels of a block, in x and in y
constexpr int SIDE = TILE + 2;  // with the halo

__device__ unsigned char pixel(const unsigned char* image, int row, int col,
                               int height, int width) {
    row = min(max(row, 0), height - 1);
    col = min(max(col, 0), width - 1);
    return image[row * width + col];
}

__global__ void grow_bright(const unsigned char* image,
                            unsigned char* out, int height, int width) {
    __shared__ unsigned char tile[SIDE][SIDE];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int col = blockIdx.x * TILE + tx;
    int row = blockIdx.y * TILE + ty;

    tile[ty + 1][tx + 1] = pixel(image, row, col, height, width);
    if (tx == 0) {  // the left side, and then the other three
        tile[ty + 1][0] = pixel(image, row, col - 1, height, width);
    }
    if (tx == TILE - 1) {
        tile[ty + 1][SIDE - 1] = pixel(image, row, col + 1, height, width);
    }
    if (ty == 0) {
        tile[0][tx + 1] = pixel(image, row - 1, col, height, width);
    }
    if (ty == TILE - 1) {
        tile[SIDE - 1][tx + 1] = pixel(image, row + 1, col, height, width);
    }  // <-- and the corners?
    __syncthreads();

    if (row < height && col < width) {
        unsigned char brightest = 0;
        for (int dy = 0; dy < 3; ++dy) {
            for (int dx = 0; dx < 3; ++dx) {
                brightest = max(brightest, tile[ty + dy][tx + dx]);
            }
        }
        out[row * width + col] = brightest;
    }
}
// ANCHOR_END: kernel

int main() {
    constexpr int N = 32;
    unsigned char *d_image, *d_out;
    cudaMalloc(&d_image, N * N);
    cudaMalloc(&d_out, N * N);
    cudaMemset(d_image, 100, N * N);
    grow_bright<<<dim3(2, 2), dim3(TILE, TILE)>>>(d_image, d_out, N, N);
    unsigned char first = 0;
    cudaMemcpy(&first, d_out, 1, cudaMemcpyDeviceToHost);
    printf("the first pixel: %d\n", first);
    cudaFree(d_out);
    cudaFree(d_image);
}
