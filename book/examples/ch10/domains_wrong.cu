// All spins follow the majority in the same launch.
#include <cstdio>

// ANCHOR: kernel
__global__ void follow(signed char* spin, int side) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < side && col < side) {
        int sum = 0;
        for (int dy = side - 1; dy <= side + 1; ++dy) {
            for (int dx = side - 1; dx <= side + 1; ++dx) {
                sum += spin[(row + dy) % side * side + (col + dx) % side];
            }
        }
        __syncthreads();
        spin[row * side + col] = sum > 0 ? 1 : -1;  // <-- others read it
    }
}
// ANCHOR_END: kernel

int main() {
    constexpr int SIDE = 16;
    signed char spin[SIDE][SIDE];
    for (int i = 0; i < SIDE * SIDE; ++i) {
        spin[i / SIDE][i % SIDE] = i % 3 == 0 ? 1 : -1;
    }
    signed char* d_spin = nullptr;
    cudaMalloc(&d_spin, sizeof spin);
    cudaMemcpy(d_spin, spin, sizeof spin, cudaMemcpyHostToDevice);
    follow<<<dim3(2, 2), dim3(8, 8)>>>(d_spin, SIDE);
    cudaMemcpy(spin, d_spin, sizeof spin, cudaMemcpyDeviceToHost);
    int up = 0;
    for (auto& row : spin) {
        for (signed char s : row) {
            up += s > 0;
        }
    }
    printf("%d of %d spins are up\n", up, SIDE * SIDE);
    cudaFree(d_spin);
}
