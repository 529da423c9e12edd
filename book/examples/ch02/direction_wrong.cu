// The program copies the results in the direction of the input.
#include <cstdio>

__global__ void to_fahrenheit(const float* a, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = 1.8f * a[i] + 32.0f;
    }
}

int main() {
    const int n = 6;
    float a[n] = {-40.0f, 0.0f, 10.0f, 20.0f, 37.0f, 100.0f};
    float out[n] = {};
    size_t bytes = n * sizeof(float);

    float* d_a;
    float* d_out;
    cudaMalloc(&d_a, bytes);
    cudaMalloc(&d_out, bytes);

    // ANCHOR: copies
    cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice);
    to_fahrenheit<<<1, 256>>>(d_a, d_out, n);
    cudaMemcpy(out, d_out, bytes, cudaMemcpyHostToDevice);  // wrong way
    // ANCHOR_END: copies

    cudaFree(d_a);
    cudaFree(d_out);

    for (int i = 0; i < n; ++i) {
        printf("%5.0f C = %5.1f F\n", a[i], out[i]);
    }
}
