// A kernel that needs many registers: large blocks of it cannot be launched, and few of its blocks are resident.
// With __launch_bounds__, the assembler uses fewer registers and spills the rest to local memory.
#include <cstdio>

constexpr int VALUES = 96;

__device__ void mix(float* data, int n) {
    float values[VALUES];
#pragma unroll
    for (int i = 0; i < VALUES; ++i) {
        values[i] = data[i * n + threadIdx.x];
    }
    for (int step = 0; step < n / 64; ++step) {
#pragma unroll
        for (int i = 0; i < VALUES; ++i) {
            values[i] = values[i] * values[(i + 7) % VALUES] + data[VALUES * n + step];
        }
    }
#pragma unroll
    for (int i = 0; i < VALUES; ++i) {
        data[i * n + threadIdx.x] = values[i];
    }
}

__global__ void greedy(float* data, int n) {
    mix(data, n);
}

__global__ void __launch_bounds__(1024) bounded(float* data, int n) {
    mix(data, n);
}

void describe(const char* name, void (*kernel)(float*, int)) {
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, kernel);
    const int most = attributes.maxThreadsPerBlock, registers = attributes.numRegs;
    int one = 0, none = 0, small = 0, grid = 0, block = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&one, kernel, most, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&none, kernel, 1024, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&small, kernel, 32, 0);
    cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel);
    printf("%s: at least %d values in registers: %d, in local memory: %d\n", name, VALUES, registers >= VALUES,
           attributes.localSizeBytes > 0);
    printf("  blocks of 1024 threads: %d, of the most: %d\n", none, one);
    printf("  warps fill the registers: %d\n", small == 65536 / 4 / ((registers * 32 + 255) / 256 * 256) * 4);
    printf("  the suggested block is the largest: %d\n", block == most);
}

void launch(const char* name, void (*kernel)(float*, int), float* data, int threads) {
    kernel<<<1, threads>>>(data, 1024);
    printf("%s: %s\n", name, cudaGetErrorName(cudaGetLastError()));
}

int main() {
    float* data;
    cudaMalloc(&data, (VALUES + 1) * 1024 * sizeof(float));
    cudaMemset(data, 0, (VALUES + 1) * 1024 * sizeof(float));
    describe("greedy", greedy);
    describe("bounded", bounded);
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, greedy);
    launch("greedy, as large as possible", greedy, data, attributes.maxThreadsPerBlock);
    launch("greedy, 1 thread more", greedy, data, attributes.maxThreadsPerBlock + 1);
    launch("greedy, 1024 threads", greedy, data, 1024);
    launch("bounded, 1024 threads", bounded, data, 1024);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(data);
}
