// Multiplies each row of a matrix by a factor of its own, in three ways.
#include <cstdio>
#include <vector>

// ANCHOR: thread
__global__ void thread_per_row(float* m, const float* factor, int rows,
                               int cols) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float f = factor[row];
        for (int col = 0; col < cols; ++col) {
            m[row * cols + col] *= f;
        }
    }
}
// ANCHOR_END: thread

// ANCHOR: warp
__global__ void warp_per_row(float* m, const float* factor, int rows,
                             int cols) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int row = thread / 32;                              // (1)
    int lane = thread % 32;                             // (2)
    if (row < rows) {                                   // (3)
        float f = factor[row];                          // (4)
        for (int col = lane; col < cols; col += 32) {   // (5)
            m[row * cols + col] *= f;
        }
    }
}
// ANCHOR_END: warp

// ANCHOR: lane
__global__ void one_lane_per_row(float* m, const float* factor, int rows,
                                 int cols) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int row = thread / 32;
    if (row < rows && thread % 32 == 0) {           // 31 lanes are idle
        float f = factor[row];
        for (int col = 0; col < cols; ++col) {
            m[row * cols + col] *= f;
        }
    }
}
// ANCHOR_END: lane

int main() {
    const int rows = 64;
    const int cols = 256;
    std::vector<float> m(rows * cols, 1.0f), factor(rows);
    for (int row = 0; row < rows; ++row) {
        factor[row] = 0.5f * row;
    }
    float *d_m, *d_factor;
    size_t bytes = m.size() * sizeof(float);
    cudaMalloc(&d_m, bytes);
    cudaMalloc(&d_factor, rows * sizeof(float));
    cudaMemcpy(d_m, m.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_factor, factor.data(), rows * sizeof(float),
               cudaMemcpyHostToDevice);

    thread_per_row<<<1, rows>>>(d_m, d_factor, rows, cols);
    warp_per_row<<<(rows + 7) / 8, 256>>>(d_m, d_factor, rows, cols);
    one_lane_per_row<<<(rows + 7) / 8, 256>>>(d_m, d_factor, rows, cols);

    cudaMemcpy(m.data(), d_m, bytes, cudaMemcpyDeviceToHost);
    int right = 0;
    for (int i = 0; i < rows * cols; ++i) {
        float f = factor[i / cols];
        right += m[i] == f * f * f;
    }
    printf("%d of %d elements are right\n", right, rows * cols);
    cudaFree(d_m);
    cudaFree(d_factor);
}
