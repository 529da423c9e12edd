// Each pixel becomes the brightest of its 3 x 3 neighbourhood.
#include <cstdio>

// ANCHOR: kernel
constexpr int SIDE = 16;         // threads of a block, in x and in y
constexpr int INNER = SIDE - 2;  // pixels of a block, in x and in y

__global__ void grow_bright(const unsigned char* image,
                            unsigned char* out, int height, int width) {
    __shared__ unsigned char tile[SIDE][SIDE];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int col = blockIdx.x * INNER + tx - 1;                         // (1)
    int row = blockIdx.y * INNER + ty - 1;

    int near_col = min(max(col, 0), width - 1);                    // (2)
    int near_row = min(max(row, 0), height - 1);
    tile[ty][tx] = image[near_row * width + near_col];             // (3)
    __syncthreads();

    bool inner = 1 <= tx && tx <= INNER && 1 <= ty && ty <= INNER;  // (4)
    if (inner && row < height && col < width) {
        unsigned char brightest = 0;
        for (int dy = -1; dy <= 1; ++dy) {
            for (int dx = -1; dx <= 1; ++dx) {                     // (5)
                brightest = max(brightest, tile[ty + dy][tx + dx]);
            }
        }
        out[row * width + col] = brightest;
    }
}
// ANCHOR_END: kernel

int main() {
    constexpr int HEIGHT = 7, WIDTH = 40;
    unsigned char image[HEIGHT][WIDTH] = {};
    image[3][2] = image[0][13] = image[5][14] = image[6][39] = 255;

    unsigned char *d_image, *d_out;
    cudaMalloc(&d_image, sizeof image);
    cudaMalloc(&d_out, sizeof image);
    cudaMemcpy(d_image, image, sizeof image, cudaMemcpyHostToDevice);

    // ANCHOR: launch
    dim3 block(SIDE, SIDE);
    dim3 grid((WIDTH + INNER - 1) / INNER, (HEIGHT + INNER - 1) / INNER);
    grow_bright<<<grid, block>>>(d_image, d_out, HEIGHT, WIDTH);
    // ANCHOR_END: launch

    cudaMemcpy(image, d_out, sizeof image, cudaMemcpyDeviceToHost);
    for (auto& row : image) {
        for (unsigned char pixel : row) {
            printf("%c", pixel ? '#' : '.');
        }
        printf("\n");
    }
    cudaFree(d_out);
    cudaFree(d_image);
}
