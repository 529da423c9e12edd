// The program divides the arrays into chunks, and assigns them to the streams in turn. The device
// can then copy one chunk in, process another and copy a third one out at the same time.
// The program copies as many bytes as before, in eight copies each way, and makes eight launches.
// A copy runs at the same time as other work only if the host's memory is page-locked, so the
// program registers both arrays, which locks their pages.

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
    cudaHostRegister(out, bytes, cudaHostRegisterDefault);
    cudaStream_t streams[STREAMS];
    for (cudaStream_t& stream : streams) {
        cudaStreamCreate(&stream);
    }

    const int chunk = (n + CHUNKS - 1) / CHUNKS;
    int turn = 0;
    for (int first = 0; first < n; first += chunk) {
        const int count = std::min(chunk, n - first);  // the last chunk may be shorter
        const size_t size = count * sizeof(float);
        const cudaStream_t stream = streams[turn++ % STREAMS];
        float* part = d_v + first;
        cudaMemcpyAsync(part, x + first, size, cudaMemcpyHostToDevice, stream);
        chain<<<(count + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(part, a, b, count, steps);
        cudaMemcpyAsync(out + first, part, size, cudaMemcpyDeviceToHost, stream);
    }

    for (const cudaStream_t& stream : streams) {
        cudaStreamSynchronize(stream);
        cudaStreamDestroy(stream);
    }
    cudaHostUnregister(out);
    cudaHostUnregister(const_cast<float*>(x));
    cudaFree(d_v);
}
