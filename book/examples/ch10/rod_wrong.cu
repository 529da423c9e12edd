// Simulates a rod that cools down, with one array and a barrier.
#include <cstdio>

// ANCHOR: kernel
__global__ void cool(float* heat, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float next = 0.0f;
    if (0 < i && i < n - 1) {
        next = heat[i] + 0.25f * (heat[i - 1] + heat[i + 1] - 2 * heat[i]);
    }
    __syncthreads();
    if (0 < i && i < n - 1) {
        heat[i] = next;  // <-- another block may still need the old value
    }
}
// ANCHOR_END: kernel

int main() {
    constexpr int N = 512;
    float heat[N] = {};
    heat[N / 2] = 100.0f;
    float* d_heat = nullptr;
    cudaMalloc(&d_heat, sizeof heat);
    cudaMemcpy(d_heat, heat, sizeof heat, cudaMemcpyHostToDevice);
    for (int step = 0; step < 10; ++step) {
        cool<<<N / 256, 256>>>(d_heat, N);
    }
    cudaMemcpy(heat, d_heat, sizeof heat, cudaMemcpyDeviceToHost);
    printf("the middle: %g\n", heat[N / 2]);
    cudaFree(d_heat);
}
