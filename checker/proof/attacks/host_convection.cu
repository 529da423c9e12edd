// attack: computes all steps on the host, copies the result to the device, and lets a kernel copy it there
// exercise: convection
// expect: computed-on-host
// stopped-by: the flow of data: outputs come from the device, and nothing else that the host sends depends on the inputs

#include <vector>

__global__ void step(const float* now, float* next, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) next[i] = now[i];
}

extern "C" void convection(const float* in, float* out, int rows, int cols, float right, float down,
                           float spread, int steps) {
    const int n = rows * cols;
    std::vector<float> now(in, in + n), next(n);
    for (int k = 0; k < steps; ++k) {
        for (int row = 0; row < rows; ++row) {
            for (int col = 0; col < cols; ++col) {
                const float own = now[row * cols + col];
                const float west = now[row * cols + (col + cols - 1) % cols];
                const float east = now[row * cols + (col + 1) % cols];
                const float north = now[(row + rows - 1) % rows * cols + col];
                const float south = now[(row + 1) % rows * cols + col];
                next[row * cols + col] = own + right * (west - own) + down * (north - own) +
                                         spread * (west + east + north + south - 4.0f * own);
            }
        }
        now.swap(next);
    }
    float *d_now, *d_next;
    cudaMalloc(&d_now, n * 4);
    cudaMalloc(&d_next, n * 4);
    cudaMemcpy(d_now, now.data(), n * 4, cudaMemcpyHostToDevice);
    for (int k = 0; k < steps; ++k) {
        step<<<(n + 255) / 256, 256>>>(d_now, d_next, n);
        std::swap(d_now, d_next);
    }
    cudaMemcpy(out, d_now, n * 4, cudaMemcpyDeviceToHost);
    cudaFree(d_now);
    cudaFree(d_next);
}
