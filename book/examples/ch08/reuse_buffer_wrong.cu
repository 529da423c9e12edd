// The host writes the next batch over one that is still being copied.
#include <cstdio>

// ANCHOR: all
__global__ void add_to(const int* batch, int* total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        total[i] += batch[i];
    }
}

int main() {
    constexpr int N = 1024;
    int *batch, *d_batch, *d_total;
    cudaMallocHost(&batch, N * sizeof(int));
    cudaMalloc(&d_batch, N * sizeof(int));
    cudaMalloc(&d_total, N * sizeof(int));
    cudaMemset(d_total, 0, N * sizeof(int));
    cudaStream_t stream;
    cudaStreamCreate(&stream);

    for (int k = 1; k <= 3; ++k) {
        for (int i = 0; i < N; ++i) {
            batch[i] = k;  // <-- the copy of batch k - 1 may still read
        }
        cudaMemcpyAsync(d_batch, batch, N * sizeof(int),
                        cudaMemcpyHostToDevice, stream);
        add_to<<<N / 256, 256, 0, stream>>>(d_batch, d_total, N);
    }

    int total = 0;
    cudaMemcpyAsync(&total, d_total, sizeof(int), cudaMemcpyDeviceToHost,
                    stream);
    cudaStreamSynchronize(stream);
    printf("%d, and it should be 6\n", total);

    cudaStreamDestroy(stream);
    cudaFree(d_total);
    cudaFree(d_batch);
    cudaFreeHost(batch);
}
// ANCHOR_END: all
