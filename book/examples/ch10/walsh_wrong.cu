// Leaves out the barriers while partners are in the same warp.
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
        int other = x[i ^ half];
        if (half >= 32) {  // <-- relies on lockstep
            __syncthreads();
        }
        x[i] = (i & half) == 0 ? mine + other : other - mine;
        if (half >= 16) {
            __syncthreads();
        }
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
    cudaMemcpy(data, d_data, sizeof data, cudaMemcpyDeviceToHost);
    printf("the sum of all points: %d\n", data[0]);
    cudaFree(d_data);
}
