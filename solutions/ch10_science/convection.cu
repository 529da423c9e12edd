// Each step reads one array and writes the other array, so the old state doesn't change during the
// step. Then, the program swaps the two pointers. A step takes one launch, with five loads and one
// store for each cell, and the program takes one copy each way. Swapping the pointers moves no data
// and needs no wait, because a launch copies its arguments. After the last swap, the newest state
// is in `now`, whether the number of steps is odd or even.

#include <utility>

constexpr int BLOCK_X = 32;
constexpr int BLOCK_Y = 8;

__global__ void step(const float* now, float* next, int rows, int cols, float right, float down,
                     float spread) {
    const int col = blockIdx.x * BLOCK_X + threadIdx.x;
    const int row = blockIdx.y * BLOCK_Y + threadIdx.y;

    if (row < rows && col < cols) {
        const float own = now[row * cols + col];
        const float west = now[row * cols + (col + cols - 1) % cols];
        const float east = now[row * cols + (col + 1) % cols];
        const float north = now[(row + rows - 1) % rows * cols + col];
        const float south = now[(row + 1) % rows * cols + col];

        next[row * cols + col] = own + right * (west - own) + down * (north - own) +
                                 spread * (west + east + north + south - 4.0f * own);
    }
}

extern "C" void convection(const float* in, float* out, int rows, int cols, float right, float down,
                           float spread, int steps) {
    const size_t bytes = size_t(rows) * cols * sizeof(float);
    float *now, *next;
    cudaMalloc(&now, bytes);
    cudaMalloc(&next, bytes);
    cudaMemcpy(now, in, bytes, cudaMemcpyHostToDevice);

    const dim3 block(BLOCK_X, BLOCK_Y);
    const dim3 grid((cols + BLOCK_X - 1) / BLOCK_X, (rows + BLOCK_Y - 1) / BLOCK_Y);
    for (int i = 0; i < steps; ++i) {
        step<<<grid, block>>>(now, next, rows, cols, right, down, spread);
        std::swap(now, next);
    }

    cudaMemcpy(out, now, bytes, cudaMemcpyDeviceToHost);
    cudaFree(next);
    cudaFree(now);
}
