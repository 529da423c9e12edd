#include <cassert>
#include <cmath>
#include <cstdio>

constexpr int ROWS = 3;

// ANCHOR: kernel
constexpr int N = 4;        // scores of a row

// shares[row][i] = exp(score i) / the sum of exp(score) of its row
__global__ void shares(const float* scores, float* out) {
    int row = threadIdx.x;
    const float* mine = scores + row * N;

    float sum = 0.0f;
    for (int i = 0; i < N; ++i) {
        sum += expf(mine[i]);
    }
    assert(isfinite(sum));           // stop at the first infinity
    for (int i = 0; i < N; ++i) {
        out[row * N + i] = expf(mine[i]) / sum;
    }
}
// ANCHOR_END: kernel

int main() {
    float scores[ROWS][N] = {{1, 2, 3, 4}, {81, 82, 83, 84},
                             {91, 92, 93, 94}};

    float *d_scores, *d_out;
    cudaMalloc(&d_scores, sizeof(scores));
    cudaMalloc(&d_out, sizeof(scores));
    cudaMemcpy(d_scores, scores, sizeof(scores), cudaMemcpyHostToDevice);

    shares<<<1, ROWS>>>(d_scores, d_out);

    cudaError_t status = cudaDeviceSynchronize();
    printf("the kernel: %s\n", cudaGetErrorString(status));

    cudaFree(d_out);
    cudaFree(d_scores);
}
