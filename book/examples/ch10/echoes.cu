// A robot rotates its range sensor, and counts the echoes in each cell.
#include <cmath>
#include <cstdio>

// ANCHOR: kernel
__global__ void count_echoes(const float* angles, const float* ranges,
                             int* echoes, int rays, int rows, int cols,
                             float x, float y, float max_range) {
    int ray = blockIdx.x * blockDim.x + threadIdx.x;
    if (ray < rays && ranges[ray] < max_range) {                  // (1)
        int col = floorf(x + ranges[ray] * cosf(angles[ray]));    // (2)
        int row = floorf(y + ranges[ray] * sinf(angles[ray]));
        if (row >= 0 && row < rows && col >= 0 && col < cols) {
            atomicAdd(&echoes[row * cols + col], 1);              // (3)
        }
    }
}
// ANCHOR_END: kernel

int main() {
    constexpr int RAYS = 720, ROWS = 12, COLS = 40;
    const float x = 12.5f, y = 6.5f, max_range = 20.0f;
    static float angles[RAYS], ranges[RAYS];
    for (int k = 0; k < RAYS; ++k) {
        // a room from (1, 1) to (39, 11)
        float angle = (k + 0.5f) * 2 * 3.14159265f / RAYS;
        float c = std::cos(angle), s = std::sin(angle);
        float right = (c > 0 ? 39 - x : 1 - x) / c;
        float down = (s > 0 ? 11 - y : 1 - y) / s;
        float range = std::fmin(right, down) + 0.01f;
        angles[k] = angle;
        ranges[k] = std::fmin(range, max_range);
    }

    float *d_angles, *d_ranges;
    int* d_echoes;
    int echoes[ROWS * COLS];
    cudaMalloc(&d_angles, sizeof angles);
    cudaMalloc(&d_ranges, sizeof ranges);
    cudaMalloc(&d_echoes, sizeof echoes);
    cudaMemcpy(d_angles, angles, sizeof angles, cudaMemcpyHostToDevice);
    cudaMemcpy(d_ranges, ranges, sizeof ranges, cudaMemcpyHostToDevice);
    cudaMemset(d_echoes, 0, sizeof echoes);
    count_echoes<<<3, 256>>>(d_angles, d_ranges, d_echoes, RAYS, ROWS, COLS,
                             x, y, max_range);
    cudaMemcpy(echoes, d_echoes, sizeof echoes, cudaMemcpyDeviceToHost);

    for (int row = 0; row < ROWS; ++row) {
        for (int col = 0; col < COLS; ++col) {
            int count = echoes[row * COLS + col];
            bool here = row == int(y) && col == int(x);
            printf("%c", here ? 'R' : " .:+*#"[count > 5 ? 5 : count]);
        }
        printf("\n");
    }
    cudaFree(d_echoes);
    cudaFree(d_ranges);
    cudaFree(d_angles);
}
