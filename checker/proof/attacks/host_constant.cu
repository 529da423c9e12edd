// attack: sends the results of the host in constant memory
// exercise: roundtrip
// expect: computed-on-host
// stopped-by: the flow of data: outputs come from the device, and nothing else that the host sends depends on the inputs

#include <cmath>
#include <vector>

__constant__ float results[12000];

__global__ void move(float* out, int first, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[first + i] = results[i];
    }
}

extern "C" void roundtrip(const float* a, float* out, int n) {
    float *d_a = nullptr, *d_out = nullptr;
    cudaMalloc(&d_a, n * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
    std::vector<float> all(n);
    for (int i = 0; i < n; ++i) {
        all[i] = sinf(a[i]);
    }
    for (int first = 0; first < n; first += 12000) {
        const int count = n - first < 12000 ? n - first : 12000;
        cudaMemcpyToSymbol(results, all.data() + first, count * sizeof(float));
        move<<<(count + 255) / 256, 256>>>(d_out, first, count);
    }
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_out);
}
