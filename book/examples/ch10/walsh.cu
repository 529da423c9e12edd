// Computes the Walsh-Hadamard transform, whose butterflies have no factors.
#include <cstdio>

// ANCHOR: kernel
constexpr int N = 256;

__global__ void walsh(int* data) {
    __shared__ int x[N];
    int i = threadIdx.x;  // my point
    x[i] = data[i];
    __syncthreads();

    for (int half = 1; half < N; half *= 2) {
        int mine = x[i];
        int other = x[i ^ half];                                  // (1)
        __syncthreads();                                          // (2)
        x[i] = (i & half) == 0 ? mine + other : other - mine;     // (3)
        __syncthreads();                                          // (4)
    }

    data[i] = x[i];
}
// ANCHOR_END: kernel

int main() {
    int data[N];
    for (int i = 0; i < N; ++i) {
        data[i] = i * i % 17;
    }
    int* d_data = nullptr;
    cudaMalloc(&d_data, sizeof data);
    cudaMemcpy(d_data, data, sizeof data, cudaMemcpyHostToDevice);
    walsh<<<1, N>>>(d_data);
    walsh<<<1, N>>>(d_data);  // two transforms give N * the input
    int twice[N];
    cudaMemcpy(twice, d_data, sizeof twice, cudaMemcpyDeviceToHost);
    int right = 0;
    for (int i = 0; i < N; ++i) {
        right += twice[i] == N * data[i];
    }
    printf("%d of %d points are right\n", right, N);
    cudaFree(d_data);
}
