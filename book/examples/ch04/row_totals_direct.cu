#include <cstdio>
#include <vector>

// ANCHOR: kernel
constexpr int ROWS = 1024;   // sensors
constexpr int COLS = 32;     // readings of each sensor

// totals[row][col] = in[row][0] + ... + in[row][col]
__global__ void row_totals(const float* in, float* totals) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;   // one row per thread
    float total = 0.0f;
    for (int col = 0; col < COLS; ++col) {
        total += in[row * COLS + col];                 // 128 bytes apart
        totals[row * COLS + col] = total;
    }
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

    row_totals<<<ROWS / 128, 128>>>(d_in, d_totals);

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
