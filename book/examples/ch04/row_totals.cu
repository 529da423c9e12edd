#include <cstdio>
#include <vector>

constexpr int ROWS = 1024;   // sensors
constexpr int COLS = 32;     // readings of each sensor

// ANCHOR: kernel
constexpr int SIDE = 32;    // rows and columns of a tile

// totals[row][col] = in[row][0] + ... + in[row][col]
__global__ void row_totals(const float* in, float* totals) {
    __shared__ float tile[SIDE][SIDE];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.x * SIDE + ty;

    tile[ty][tx] = in[row * COLS + tx];                // (1)
    __syncthreads();

    if (ty == 0) {                                     // (2)
        float total = 0.0f;
        for (int col = 0; col < SIDE; ++col) {
            total += tile[tx][col];                    // (3)
            tile[tx][col] = total;
        }
    }
    __syncthreads();

    totals[row * COLS + tx] = tile[ty][tx];            // (4)
}
// ANCHOR_END: kernel

int main() {
    std::vector<float> in(ROWS * COLS), totals(ROWS * COLS);
    for (int i = 0; i < ROWS * COLS; ++i) {
        in[i] = i % COLS;
    }
    size_t bytes = in.size() * sizeof(float);
    float *d_in, *d_totals;
    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_totals, bytes);
    cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice);

    dim3 block(SIDE, SIDE);
    row_totals<<<ROWS / SIDE, block>>>(d_in, d_totals);

    cudaMemcpy(totals.data(), d_totals, bytes, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < ROWS * COLS; ++i) {
        int col = i % COLS;
        wrong += totals[i] != col * (col + 1) / 2;
    }
    printf("%d of %d totals are wrong\n", wrong, ROWS * COLS);

    cudaFree(d_totals);
    cudaFree(d_in);
}
