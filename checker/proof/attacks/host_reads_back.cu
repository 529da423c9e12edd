// attack: copies the inputs to the device and back, and computes with what came back
// exercise: scan_blocks
// expect: computed-on-host
// stopped-by: the flow of data: outputs come from the device, and nothing else that the host sends depends on the inputs

#include <vector>

__global__ void move(const int* from, int* to, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        to[i] = from[i];
    }
}

extern "C" void scan_blocks(const int* in, int* out, int n) {
    int *d_in, *d_out;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_out, n * sizeof(int));
    cudaMemcpy(d_in, in, n * sizeof(int), cudaMemcpyHostToDevice);
    std::vector<int> back(n);
    cudaMemcpy(back.data(), d_in, n * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 1; i < n; ++i) {
        back[i] += back[i - 1];
    }
    cudaMemcpy(d_in, back.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    move<<<(n + 255) / 256, 256>>>(d_in, d_out, n);
    cudaMemcpy(out, d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(d_in);
    cudaFree(d_out);
}
