// stream_order | chapter 8 | "One stream waits for another"
//
// Goal    compute out[i] = sqrt(1 + x[i] * x[i]), in two stages, chunk by chunk. While one stream
//         prepares a chunk, the other stream finishes the previous chunk.
//
// x       [n]  f32, in the host's memory, read only
// out     [n]  f32, in the host's memory, every element must be written
// n       count
// chunks  number of chunks of equal length; the last chunks may be shorter, or even empty
//
// The stream `front` copies a chunk in and squares it. The stream `back` computes the root and
// copies it out. Each stream runs in order, but nothing makes `back` wait for `front`, so the
// results may be right in one run and wrong in another. Fix this without waiting for the whole
// device, so that copies in still overlap with copies out.
//
// Run     cargo checker check stream_order     Stuck?  cargo checker hint stream_order

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
