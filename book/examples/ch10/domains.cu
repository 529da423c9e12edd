// Spins follow the majority of their eight neighbours.
#include <cstdio>

// ANCHOR: kernel
__global__ void follow(signed char* spin, int side, int colour) {
    int col = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + colour % 2;  // (1)
    int row = 2 * (blockIdx.y * blockDim.y + threadIdx.y) + colour / 2;
    if (row < side && col < side) {
        int sum = 0;
        for (int dy = side - 1; dy <= side + 1; ++dy) {
            for (int dx = side - 1; dx <= side + 1; ++dx) {       // (2)
                sum += spin[(row + dy) % side * side + (col + dx) % side];
            }
        }
        spin[row * side + col] = sum > 0 ? 1 : -1;                // (3)
    }
}
// ANCHOR_END: kernel

constexpr int SIDE = 48;

void print(const signed char* d_spin) {
    signed char spin[SIDE][SIDE];
    cudaMemcpy(spin, d_spin, sizeof spin, cudaMemcpyDeviceToHost);
    for (int row = 0; row < SIDE; row += 2) {  // every second row
        for (signed char s : spin[row]) {
            printf("%c", s > 0 ? '#' : '.');
        }
        printf("\n");
    }
    printf("\n");
}

int main() {
    signed char spin[SIDE][SIDE];
    unsigned int random = 1;
    for (auto& row : spin) {
        for (signed char& s : row) {
            random = 1664525u * random + 1013904223u;
            s = random >> 31 ? 1 : -1;
        }
    }
    signed char* d_spin = nullptr;
    cudaMalloc(&d_spin, sizeof spin);
    cudaMemcpy(d_spin, spin, sizeof spin, cudaMemcpyHostToDevice);

    // ANCHOR: sweeps
    dim3 block(8, 8);
    dim3 grid(SIDE / 2 / 8, SIDE / 2 / 8);
    print(d_spin);
    for (int sweep = 0; sweep < 12; ++sweep) {
        for (int colour = 0; colour < 4; ++colour) {
            follow<<<grid, block>>>(d_spin, SIDE, colour);
        }
    }
    print(d_spin);
    // ANCHOR_END: sweeps
    cudaFree(d_spin);
}
