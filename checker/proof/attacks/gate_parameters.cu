// attack: passes the whole array by value as a parameter of the kernel, which is read without a load
// exercise: stencil_1d
// expect: gate-missed or computed-on-host
// stopped-by: gates count what moves data: a load of a parameter through an index is a load

#include <cstring>

struct All {
    float values[8000];
};

__global__ void sum_around(const __grid_constant__ All all, float* out, int n, int radius) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0.0f;
        for (int k = i - radius; k <= i + radius; ++k) {
            sum += 0 <= k && k < n ? all.values[k] : 0.0f;
        }
        out[i] = sum;
    }
}

extern "C" void stencil_1d(const float* in, float* out, int n, int radius) {
    static All all;
    memcpy(all.values, in, (n < 8000 ? n : 8000) * sizeof(float));
    float* d_out;
    cudaMalloc(&d_out, n * sizeof(float));
    sum_around<<<(n + 255) / 256, 256>>>(all, d_out, n, radius);
    cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_out);
}
