// expect: gate-missed
// Computes the sums without tensor cores, eight of them in each thread of a warp.

#include <cuda_fp16.h>

extern "C" __global__ void wmma_matmul(const __half* a, const __half* b, float* c, int rows,
                                       int inner, int cols) {
    const int row = (blockIdx.y * 4 + threadIdx.y) * 16;
    const int col = blockIdx.x * 16;
    if (row < rows) {
        for (int i = threadIdx.x; i < 256; i += 32) {
            float sum = 0.0f;
            for (int k = 0; k < inner; ++k) {
                sum += __half2float(a[(row + i / 16) * inner + k]) *
                       __half2float(b[k * cols + col + i % 16]);
            }
            c[(row + i / 16) * cols + col + i % 16] = sum;
        }
    }
}
