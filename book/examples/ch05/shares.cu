#include <cmath>
#include <cstdio>

constexpr int ROWS = 3;

// ANCHOR: kernel
constexpr int N = 4;        // scores of a row

// shares[row][i] = exp(score i) / the sum of exp(score) of its row
__global__ void shares(const float* scores, float* out) {
    int row = threadIdx.x;
    const float* mine = scores + row * N;

    float largest = mine[0];
    for (int i = 1; i < N; ++i) {
        largest = fmaxf(largest, mine[i]);                      // (1)
    }
    float sum = 0.0f;
    for (int i = 0; i < N; ++i) {
        sum += expf(mine[i] - largest);                         // (2)
    }
    for (int i = 0; i < N; ++i) {
        out[row * N + i] = expf(mine[i] - largest) / sum;
    }
}
// ANCHOR_END: kernel

int main() {
    float scores[ROWS][N] = {{1, 2, 3, 4}, {81, 82, 83, 84},
                             {91, 92, 93, 94}};
    float out[ROWS][N];

    float *d_scores, *d_out;
    cudaMalloc(&d_scores, sizeof(scores));
    cudaMalloc(&d_out, sizeof(out));
    cudaMemcpy(d_scores, scores, sizeof(scores), cudaMemcpyHostToDevice);

    shares<<<1, ROWS>>>(d_scores, d_out);

    cudaMemcpy(out, d_out, sizeof(out), cudaMemcpyDeviceToHost);
    for (int row = 0; row < ROWS; ++row) {
        printf("scores %2g to %2g: shares %g %g %g %g\n", scores[row][0],
               scores[row][N - 1], out[row][0], out[row][1], out[row][2],
               out[row][3]);
    }

    cudaFree(d_out);
    cudaFree(d_scores);
}
