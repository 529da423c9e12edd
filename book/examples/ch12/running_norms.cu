// Computes the norm of each row of gradients in one pass, with the largest
// magnitude so far and the sum of the squares relative to it.
#include <cstdio>

constexpr int BLOCK = 256;         // threads of a block
constexpr int WARPS = BLOCK / 32;  // warps of a block

// ANCHOR: kernel
// the largest magnitude of some elements, and the sum of
// (element / largest)^2 over them
struct Scaled {
    float largest, sum;
};

__device__ Scaled merge(Scaled a, Scaled b) {
    float largest = fmaxf(a.largest, b.largest);
    if (largest == 0.0f) {                                        // (1)
        return a;
    }
    float ratio_a = a.largest / largest;
    float ratio_b = b.largest / largest;
    return {largest, a.sum * ratio_a * ratio_a                    // (2)
                         + b.sum * ratio_b * ratio_b};
}

__global__ void running_norms(const float* in, float* out, int cols) {
    __shared__ Scaled slots[WARPS];
    const float* row = in + blockIdx.x * cols;

    Scaled own = {0.0f, 0.0f};
    for (int col = threadIdx.x; col < cols; col += BLOCK) {
        own = merge(own, {fabsf(row[col]), 1.0f});                // (3)
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        Scaled other;
        other.largest = __shfl_xor_sync(0xffffffff, own.largest, distance);
        other.sum = __shfl_xor_sync(0xffffffff, own.sum, distance);
        own = merge(own, other);                                  // (4)
    }
    if (threadIdx.x % 32 == 0) {
        slots[threadIdx.x / 32] = own;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < WARPS; ++warp) {
            own = merge(own, slots[warp]);
        }
        out[blockIdx.x] = own.largest * sqrtf(own.sum);
    }
}
// ANCHOR_END: kernel

int main() {
    const int rows = 3, cols = 1000;
    float *in, *out;
    cudaMallocManaged(&in, rows * cols * sizeof(float));
    cudaMallocManaged(&out, rows * sizeof(float));
    float size[rows] = {1.0f, 1e20f, 1e-25f};
    for (int i = 0; i < rows * cols; ++i) {
        in[i] = (i % 7 - 3) * size[i / cols];
    }

    running_norms<<<rows, BLOCK>>>(in, out, cols);
    cudaDeviceSynchronize();
    printf("%.2e %.2e %.2e\n", out[0], out[1], out[2]);

    cudaFree(out);
    cudaFree(in);
}
