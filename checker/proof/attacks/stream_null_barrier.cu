// attack: waits for all streams with an empty default stream instead of `cudaDeviceSynchronize`
// exercise: stream_order
// expect: gate-missed
// stopped-by: gates: waits for the device, whichever call waits

#include <algorithm>
constexpr int BLOCK = 256;
__global__ void square(const float* x, float* s, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) s[i] = x[i] * x[i];
}
__global__ void root(const float* s, float* o, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = sqrtf(1.0f + s[i]);
}
__global__ void nothing() {}
extern "C" void stream_order(const float* x, float* out, int n, int chunks) {
    const size_t bytes = n * sizeof(float);
    float *sent, *received, *d_x, *d_s, *d_o;
    cudaMallocHost(&sent, bytes); cudaMallocHost(&received, bytes);
    cudaMalloc(&d_x, bytes); cudaMalloc(&d_s, bytes); cudaMalloc(&d_o, bytes);
    std::copy(x, x + n, sent);
    cudaStream_t front, back;
    cudaStreamCreate(&front); cudaStreamCreate(&back);
    const int chunk = (n + chunks - 1) / chunks;
    for (int first = 0; first < n + chunk; first += chunk) {
        if (first < n) {
            const int c = std::min(chunk, n - first);
            cudaMemcpyAsync(d_x + first, sent + first, c * 4, cudaMemcpyHostToDevice, front);
            square<<<(c + 255) / 256, 256, 0, front>>>(d_x + first, d_s + first, c);
        }
        const int before = first - chunk;
        if (before >= 0 && before < n) {
            const int c = std::min(chunk, n - before);
            root<<<(c + 255) / 256, 256, 0, back>>>(d_s + before, d_o + before, c);
            cudaMemcpyAsync(received + before, d_o + before, c * 4, cudaMemcpyDeviceToHost, back);
        }
        nothing<<<1, 1>>>();  // the default stream waits for all others, and they wait for it
    }
    cudaStreamSynchronize(0);
    std::copy(received, received + n, out);
    cudaStreamDestroy(back); cudaStreamDestroy(front);
    cudaFree(d_o); cudaFree(d_s); cudaFree(d_x); cudaFreeHost(received); cudaFreeHost(sent);
}
