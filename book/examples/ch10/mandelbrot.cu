// Counts the steps that each pixel's chain takes.
#include <cstdio>

// ANCHOR: kernel
constexpr int MOST = 200;

__global__ void mandelbrot(int* steps, int height, int width) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < height && col < width) {
        float a = -2.2f + 3.2f * col / width;                     // (1)
        float b = -1.2f + 2.4f * row / height;
        float x = 0.0f;
        float y = 0.0f;
        int step = 0;
        while (step < MOST && x * x + y * y < 4.0f) {             // (2)
            float next_x = x * x - y * y + a;
            y = 2.0f * x * y + b;
            x = next_x;
            step++;
        }
        steps[row * width + col] = step;
    }
}
// ANCHOR_END: kernel

int main() {
    constexpr int HEIGHT = 25, WIDTH = 64;
    int* d_steps = nullptr;
    cudaMalloc(&d_steps, HEIGHT * WIDTH * sizeof(int));
    mandelbrot<<<dim3(2, 25), dim3(32, 1)>>>(d_steps, HEIGHT, WIDTH);
    int steps[HEIGHT][WIDTH];
    cudaMemcpy(steps, d_steps, sizeof steps, cudaMemcpyDeviceToHost);
    int sum = 0, longest = 0, warps = 0;
    for (auto& row : steps) {
        for (int first = 0; first < WIDTH; first += 32) {  // one warp each
            int most = 0;
            for (int col = first; col < first + 32; ++col) {
                sum += row[col];
                most = row[col] > most ? row[col] : most;
                printf("%c", " .:-=+*#%@"[row[col] == MOST ? 9
                                          : row[col] < 36 ? row[col] / 4
                                                          : 8]);
            }
            longest += most;
            warps++;
        }
        printf("\n");
    }
    printf("%.1f of 32 lanes work on average\n", double(sum) / longest);
    cudaFree(d_steps);
}
