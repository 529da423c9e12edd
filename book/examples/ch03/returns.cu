// Computes a share's daily returns from its prices today and tomorrow.
#include <cstdio>
#include <vector>

// ANCHOR: kernel
__global__ void returns(const float* price, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float today = price[i];            // (1)
        float tomorrow = price[i + 1];     // (2)
        out[i] = tomorrow / today - 1.0f;  // (3)
    }
}
// ANCHOR_END: kernel

int main() {
    const int n = 4096;
    std::vector<float> prices(n + 1), out(n);
    for (int day = 0; day <= n; ++day) {
        prices[day] = 100.0f + day % 2;
    }
    float *d_prices, *d_out;
    cudaMalloc(&d_prices, (n + 1) * sizeof(float));
    cudaMalloc(&d_out, n * sizeof(float));
    cudaMemcpy(d_prices, prices.data(), (n + 1) * sizeof(float),
               cudaMemcpyHostToDevice);
    returns<<<(n + 127) / 128, 128>>>(d_prices, d_out, n);
    cudaMemcpy(out.data(), d_out, n * sizeof(float),
               cudaMemcpyDeviceToHost);
    printf("%.4f %.4f %.4f ... %.4f\n", out[0], out[1], out[2], out[n - 1]);
    cudaFree(d_prices);
    cudaFree(d_out);
}
