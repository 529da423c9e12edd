// attack: queries an event until it is done, where a stream should wait for it
// exercise: stream_order
// expect: gate-missed
// stopped-by: a loop of queries counts as a wait

#include <algorithm>

constexpr int BLOCK = 256;

__global__ void square(const float* x, float* squared, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        squared[idx] = x[idx] * x[idx];
    }
}

__global__ void root(const float* squared, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        out[idx] = sqrtf(1.0f + squared[idx]);
    }
}

extern "C" void stream_order(const float* x, float* out, int n, int chunks) {
    const size_t bytes = n * sizeof(float);
    float *sent, *received;  // page-locked, so that the host can continue during the copies
    float *d_x, *d_squared, *d_out;
    cudaMallocHost(&sent, bytes);
    cudaMallocHost(&received, bytes);
    cudaMalloc(&d_x, bytes);
    cudaMalloc(&d_squared, bytes);
    cudaMalloc(&d_out, bytes);
    std::copy(x, x + n, sent);

    cudaStream_t front, back;
    cudaStreamCreate(&front);
    cudaStreamCreate(&back);

    const int chunk = (n + chunks - 1) / chunks;
    for (int first = 0; first < n; first += chunk) {
        const int count = std::min(chunk, n - first);
        const size_t size = count * sizeof(float);
        const int blocks = (count + BLOCK - 1) / BLOCK;

        cudaMemcpyAsync(d_x + first, sent + first, size, cudaMemcpyHostToDevice, front);
        square<<<blocks, BLOCK, 0, front>>>(d_x + first, d_squared + first, count);

        cudaEvent_t squared;
        cudaEventCreate(&squared);
        cudaEventRecord(squared, front);
        while (cudaEventQuery(squared) == cudaErrorNotReady) {
        }
        cudaEventDestroy(squared);
        root<<<blocks, BLOCK, 0, back>>>(d_squared + first, d_out + first, count);
        cudaMemcpyAsync(received + first, d_out + first, size, cudaMemcpyDeviceToHost, back);
    }

    cudaStreamSynchronize(front);
    cudaStreamSynchronize(back);
    std::copy(received, received + n, out);

    cudaStreamDestroy(back);
    cudaStreamDestroy(front);
    cudaFree(d_out);
    cudaFree(d_squared);
    cudaFree(d_x);
    cudaFreeHost(received);
    cudaFreeHost(sent);
}
