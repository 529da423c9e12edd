// expect: host-race
// Results in page-locked memory of their own, and read before anybody has waited.

#include <algorithm>

constexpr int BLOCK = 256;
constexpr int CHUNKS = 8;
constexpr int STREAMS = 3;

__global__ void chain(float* v, float a, float b, int n, int steps) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        float mine = v[idx];
        for (int step = 0; step < steps; ++step) {
            mine = a * mine + b;
        }
        v[idx] = mine;
    }
}

extern "C" void overlap(const float* x, float a, float b, float* out, int n, int steps) {
    const size_t bytes = n * sizeof(float);
    float* d_v = nullptr;
    cudaMalloc(&d_v, bytes);
    cudaHostRegister(const_cast<float*>(x), bytes, cudaHostRegisterDefault);
    float* fetched = nullptr;
    cudaMallocHost(&fetched, bytes);
    cudaStream_t streams[STREAMS];
    for (cudaStream_t& stream : streams) {
        cudaStreamCreate(&stream);
    }

    const int chunk = (n + CHUNKS - 1) / CHUNKS;
    int turn = 0;
    for (int first = 0; first < n; first += chunk) {
        const int count = std::min(chunk, n - first);  // the last one may be shorter
        const size_t size = count * sizeof(float);
        const cudaStream_t stream = streams[turn++ % STREAMS];
        float* part = d_v + first;
        cudaMemcpyAsync(part, x + first, size, cudaMemcpyHostToDevice, stream);
        chain<<<(count + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(part, a, b, count, steps);
        cudaMemcpyAsync(fetched + first, part, size, cudaMemcpyDeviceToHost, stream);
    }

    std::copy(fetched, fetched + n, out);
    for (const cudaStream_t& stream : streams) {
        cudaStreamSynchronize(stream);
        cudaStreamDestroy(stream);
    }
    cudaFreeHost(fetched);
    cudaHostUnregister(const_cast<float*>(x));
    cudaFree(d_v);
}
