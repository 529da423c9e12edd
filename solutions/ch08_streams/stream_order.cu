// `front` records an event after the square of each chunk, and `back` waits for this event before
// the root, so the device keeps the order, and the host waits only at the end. Each chunk takes two
// launches and one copy each way. cudaStreamWaitEvent waits for the event's latest record, so one
// event is enough. For each chunk, the program launches `square`, records the event, and then makes
// `back` wait for it.

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
    cudaEvent_t squared;
    cudaEventCreateWithFlags(&squared, cudaEventDisableTiming);

    const int chunk = (n + chunks - 1) / chunks;
    for (int first = 0; first < n; first += chunk) {
        const int count = std::min(chunk, n - first);
        const size_t size = count * sizeof(float);
        const int blocks = (count + BLOCK - 1) / BLOCK;

        cudaMemcpyAsync(d_x + first, sent + first, size, cudaMemcpyHostToDevice, front);
        square<<<blocks, BLOCK, 0, front>>>(d_x + first, d_squared + first, count);
        cudaEventRecord(squared, front);

        cudaStreamWaitEvent(back, squared);
        root<<<blocks, BLOCK, 0, back>>>(d_squared + first, d_out + first, count);
        cudaMemcpyAsync(received + first, d_out + first, size, cudaMemcpyDeviceToHost, back);
    }

    cudaStreamSynchronize(back);  // `back` has waited for all of `front`
    std::copy(received, received + n, out);

    cudaEventDestroy(squared);
    cudaStreamDestroy(back);
    cudaStreamDestroy(front);
    cudaFree(d_out);
    cudaFree(d_squared);
    cudaFree(d_x);
    cudaFreeHost(received);
    cudaFreeHost(sent);
}
