// Computes the norm of each row of gradients, the square root of the sum of
// the squares. The squares of very large elements overflow, and those of very
// small ones underflow.
#include <cstdio>

constexpr int BLOCK = 256;         // threads of a block
constexpr int WARPS = BLOCK / 32;  // warps of a block

struct Sum {
    __device__ float operator()(float a, float b) const { return a + b; }
};

struct Maximum {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

// ANCHOR: reduce
// combines the values of a block's threads; every thread gets the result
template <typename Combine>
__device__ float block_reduce(float value, float* slots, Combine combine) {
    for (int distance = 16; distance > 0; distance /= 2) {
        float other = __shfl_xor_sync(0xffffffff, value, distance);
        value = combine(value, other);
    }
    __syncthreads();                                           // (1)
    if (threadIdx.x % 32 == 0) {
        slots[threadIdx.x / 32] = value;
    }
    __syncthreads();                                           // (2)
    value = slots[0];
    for (int warp = 1; warp < WARPS; ++warp) {
        value = combine(value, slots[warp]);                   // (3)
    }
    return value;
}
// ANCHOR_END: reduce

__global__ void norms(const float* in, float* out, int cols) {
    __shared__ float slots[WARPS];
    const float* row = in + blockIdx.x * cols;

    float sum = 0.0f;
    for (int col = threadIdx.x; col < cols; col += BLOCK) {
        sum += row[col] * row[col];
    }
    sum = block_reduce(sum, slots, Sum{});

    if (threadIdx.x == 0) {
        out[blockIdx.x] = sqrtf(sum);
    }
}

// ANCHOR: scaled
__global__ void scaled_norms(const float* in, float* out, int cols) {
    __shared__ float slots[WARPS];
    const float* row = in + blockIdx.x * cols;

    float largest = 0.0f;
    for (int col = threadIdx.x; col < cols; col += BLOCK) {
        largest = fmaxf(largest, fabsf(row[col]));             // (1)
    }
    largest = block_reduce(largest, slots, Maximum{});         // (2)

    float sum = 0.0f;
    for (int col = threadIdx.x; col < cols; col += BLOCK) {
        float part = row[col] / largest;                       // (3)
        sum += part * part;
    }
    sum = block_reduce(sum, slots, Sum{});

    if (threadIdx.x == 0) {
        out[blockIdx.x] = largest * sqrtf(sum);                // (4)
    }
}
// ANCHOR_END: scaled

int main() {
    const int rows = 3, cols = 1000;
    float *in, *plain, *scaled;
    cudaMallocManaged(&in, rows * cols * sizeof(float));
    cudaMallocManaged(&plain, rows * sizeof(float));
    cudaMallocManaged(&scaled, rows * sizeof(float));
    float size[rows] = {1.0f, 1e20f, 1e-25f};
    for (int i = 0; i < rows * cols; ++i) {
        in[i] = (i % 7 - 3) * size[i / cols];
    }

    norms<<<rows, BLOCK>>>(in, plain, cols);
    scaled_norms<<<rows, BLOCK>>>(in, scaled, cols);
    cudaDeviceSynchronize();

    printf("gradients of about    norms  scaled_norms\n");
    for (int row = 0; row < rows; ++row) {
        printf("%18g %8.2e %13.2e\n", size[row], plain[row], scaled[row]);
    }
    cudaFree(scaled);
    cudaFree(plain);
    cudaFree(in);
}
