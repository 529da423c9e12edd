// Computes silu(gate) * up for each element, which many language models use as
// their activation function, first with two kernels and then with one.
#include <cstdio>

__global__ void silu(const float* in, float* out, int n) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        out[idx] = in[idx] / (1.0f + expf(-in[idx]));
    }
}

__global__ void multiply(const float* a, const float* b, float* out, int n) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        out[idx] = a[idx] * b[idx];
    }
}

// ANCHOR: fused
__device__ float silu_of(float v) {                            // (1)
    return v / (1.0f + expf(-v));
}

__global__ void gated(const float* gate, const float* up, float* out, int n) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        out[idx] = silu_of(gate[idx]) * up[idx];               // (2)
    }
}
// ANCHOR_END: fused

int main() {
    const int n = 1000;
    float *gate, *up, *between, *out, *fused;
    for (float** array : {&gate, &up, &between, &out, &fused}) {
        cudaMallocManaged(array, n * sizeof(float));
    }
    for (int i = 0; i < n; ++i) {
        gate[i] = (i - 500) * 0.01f;
        up[i] = 2.0f + i % 3;
    }

    silu<<<4, 256>>>(gate, between, n);
    multiply<<<4, 256>>>(between, up, out, n);
    gated<<<4, 256>>>(gate, up, fused, n);
    cudaDeviceSynchronize();

    printf("two kernels: %.5f %.5f %.5f\n", out[0], out[499], out[999]);
    printf("one kernel:  %.5f %.5f %.5f\n", fused[0], fused[499], fused[999]);
    for (float* array : {gate, up, between, out, fused}) {
        cudaFree(array);
    }
}
