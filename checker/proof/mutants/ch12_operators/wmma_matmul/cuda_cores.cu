// expect: gate-missed
// Computes the sums without tensor cores. Each thread has a column, and every second row of the tile.

#include <cuda_fp16.h>

constexpr int SUMS = 8;  // of each thread

extern "C" __global__ void wmma_matmul(const __half* a, const __half* b, float* c, int rows,
                                       int inner, int cols) {
    const int tile = blockIdx.y * blockDim.y + threadIdx.y;
    const int first = 16 * tile + (threadIdx.x >> 4);
    const int column = 16 * blockIdx.x + (threadIdx.x & 15);
    if (first >= rows) {
        return;
    }
    float sums[SUMS] = {};
    for (const __half* weight = b + column; weight < b + inner * cols; weight += cols) {
        const float factor = __half2float(*weight);
        const int k = (weight - b) / cols;
#pragma unroll
        for (int j = 0; j < SUMS; ++j) {
            sums[j] = fmaf(__half2float(a[(first + 2 * j) * inner + k]), factor, sums[j]);
        }
    }
#pragma unroll
    for (int j = 0; j < SUMS; ++j) {
        c[(first + 2 * j) * cols + column] = sums[j];
    }
}
