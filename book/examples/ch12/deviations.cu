// Computes the standard deviation of the heights that each sensor reports,
// first with a formula that loses its digits, and then with Welford's method.
#include <cstdio>

// one warp for each row
__global__ void deviations_wrong(const float* in, float* out, int cols) {
    const float* row = in + blockIdx.x * cols;
    float sum = 0.0f, squares = 0.0f;
    for (int col = threadIdx.x; col < cols; col += 32) {
        sum += row[col];
        squares += row[col] * row[col];
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, distance);
        squares += __shfl_xor_sync(0xffffffff, squares, distance);
    }
    if (threadIdx.x == 0) {
        float mean = sum / cols;
        out[blockIdx.x] = sqrtf(squares / cols - mean * mean);
    }
}

// ANCHOR: welford
// the number and the mean of some elements, and the sum of the squares of
// their differences from the mean
struct Moments {
    float count, mean, squares;
};

__device__ Moments merge(Moments a, Moments b) {
    float count = a.count + b.count;
    if (count == 0.0f) {
        return a;
    }
    float apart = b.mean - a.mean;                                 // (1)
    return {count, a.mean + apart * b.count / count,               // (2)
            a.squares + b.squares
                + apart * apart * a.count * b.count / count};      // (3)
}

__global__ void deviations(const float* in, float* out, int cols) {
    const float* row = in + blockIdx.x * cols;
    Moments own = {0.0f, 0.0f, 0.0f};
    for (int col = threadIdx.x; col < cols; col += 32) {
        own = merge(own, {1.0f, row[col], 0.0f});                  // (4)
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        Moments other;
        other.count = __shfl_xor_sync(0xffffffff, own.count, distance);
        other.mean = __shfl_xor_sync(0xffffffff, own.mean, distance);
        other.squares = __shfl_xor_sync(0xffffffff, own.squares, distance);
        own = merge(own, other);
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = sqrtf(own.squares / cols);
    }
}
// ANCHOR_END: welford

int main() {
    const int rows = 4, cols = 1000;
    float *in, *wrong, *right;
    cudaMallocManaged(&in, rows * cols * sizeof(float));
    cudaMallocManaged(&wrong, rows * sizeof(float));
    cudaMallocManaged(&right, rows * sizeof(float));
    float height[rows] = {1.0f, 100.0f, 1000.0f, 8000.0f};
    for (int i = 0; i < rows * cols; ++i) {
        in[i] = height[i / cols] + (i % 5 - 2) * 0.25f;
    }

    deviations_wrong<<<rows, 32>>>(in, wrong, cols);
    deviations<<<rows, 32>>>(in, right, cols);
    cudaDeviceSynchronize();

    printf("height  with squares  Welford\n");
    for (int row = 0; row < rows; ++row) {
        printf("%6g %13.5f %8.5f\n", height[row], wrong[row], right[row]);
    }
    cudaFree(right);
    cudaFree(wrong);
    cudaFree(in);
}
