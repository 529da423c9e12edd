// Transposes a matrix and transposes it back, in the two possible orders.
#include <cstdio>
#include <vector>

// ANCHOR: kernels
__global__ void read_rows(const float* in, float* out, int rows,
                          int cols) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < cols && y < rows) {
        float v = in[y * cols + x];     // (1)
        out[x * rows + y] = v;          // (2)
    }
}

__global__ void write_rows(const float* in, float* out, int rows,
                           int cols) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < rows && y < cols) {
        float v = in[x * cols + y];     // (3)
        out[y * rows + x] = v;          // (4)
    }
}
// ANCHOR_END: kernels

int main() {
    const int rows = 64;
    const int cols = 96;
    std::vector<float> m(rows * cols), back(rows * cols);
    for (int i = 0; i < rows * cols; ++i) {
        m[i] = i;
    }
    float *d_m, *d_turned;
    size_t bytes = m.size() * sizeof(float);
    cudaMalloc(&d_m, bytes);
    cudaMalloc(&d_turned, bytes);
    cudaMemcpy(d_m, m.data(), bytes, cudaMemcpyHostToDevice);
    dim3 block(32, 8);
    read_rows<<<dim3(cols / 32, rows / 8), block>>>(d_m, d_turned, rows,
                                                    cols);
    write_rows<<<dim3(cols / 32, rows / 8), block>>>(d_turned, d_m, cols,
                                                     rows);
    cudaMemcpy(back.data(), d_m, bytes, cudaMemcpyDeviceToHost);
    printf("back where it was: %s\n", m == back ? "yes" : "no");
    cudaFree(d_m);
    cudaFree(d_turned);
}
