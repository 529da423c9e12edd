// attack: six launches do two steps each, and six more only set a flag that the next one needs
// exercise: convection
// expect: gate-missed
// stopped-by: launches count only if they store at least an eighth of what another one stores

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

// one block alone computes up to three steps in one launch
__global__ void __launch_bounds__(1024) several(const float* from, float* a, float* b, int rows, int cols, float right, float down,
                     float spread, int steps, const int* flag, int want) {
    if (*flag != want) return;
    const float* now = from;
    float* next = a;
    for (int s = 0; s < steps; ++s) {
        for (int i = threadIdx.x; i < rows * cols; i += 1024) {
            const int row = i / cols, col = i - row * cols;
            const float own = now[i];
            const float west = now[col ? i - 1 : i + cols - 1];
            const float east = now[col + 1 < cols ? i + 1 : i - cols + 1];
            const float north = now[row ? i - cols : i + (rows - 1) * cols];
            const float south = now[row + 1 < rows ? i + cols : col];
            next[i] = own + right * (west - own) + down * (north - own) +
                      spread * (west + east + north + south - 4.0f * own);
        }
        __syncthreads();
        now = next;
        next = next == a ? b : a;
    }
}
__global__ void raise_flag(int* flag, int to) { *flag = to; }

extern "C" void convection(const float* in, float* out, int rows, int cols, float right, float down,
                           float spread, int steps) {
    const size_t bytes = size_t(rows) * cols * sizeof(float);
    float *now, *next;
    cudaMalloc(&now, bytes);
    cudaMalloc(&next, bytes);
    cudaMemcpy(now, in, bytes, cudaMemcpyHostToDevice);

    const dim3 block(BLOCK_X, BLOCK_Y);
    const dim3 grid((cols + BLOCK_X - 1) / BLOCK_X, (rows + BLOCK_Y - 1) / BLOCK_Y);
    float* third;
    int* flag;
    cudaMalloc(&third, bytes);
    cudaMalloc(&flag, 4);
    if (rows * cols <= 3072 && steps % 2 == 0) {
        for (int i = 0; i < steps; i += 2) {
            raise_flag<<<1, 1>>>(flag, i + 1);
            several<<<1, 1024>>>(now, next, third, rows, cols, right, down, spread, 2, flag, i + 1);
            std::swap(now, third);  // the second step is in `third`
        }
    } else {
    for (int i = 0; i < steps; ++i) {
        step<<<grid, block>>>(now, next, rows, cols, right, down, spread);
        std::swap(now, next);
    }
    }
    cudaFree(third);
    cudaFree(flag);
    cudaMemcpy(out, now, bytes, cudaMemcpyDeviceToHost);
    cudaFree(next);
    cudaFree(now);
}
