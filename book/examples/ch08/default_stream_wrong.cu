// A copy doesn't wait for a kernel that runs in a non-blocking stream.
#include <cstdio>

// ANCHOR: all
__global__ void count_up(int* v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        v[i] = i;
    }
}

int main() {
    constexpr int N = 1000;
    int* d_v = nullptr;
    cudaMalloc(&d_v, N * sizeof(int));
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);

    count_up<<<(N + 255) / 256, 256, 0, stream>>>(d_v, N);

    int last = 0;
    cudaMemcpy(&last, d_v + N - 1, sizeof(int),  // <-- no stream given
               cudaMemcpyDeviceToHost);
    printf("%d, and it should be 999\n", last);

    cudaStreamDestroy(stream);
    cudaFree(d_v);
}
// ANCHOR_END: all
