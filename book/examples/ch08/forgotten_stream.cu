// Launches three kernels. The second launch doesn't name a stream.
#include <cstdio>

// ANCHOR: kernel
__global__ void spin(float* v, int steps) {
    float x = v[threadIdx.x];
    for (int step = 0; step < steps; ++step) {
        x = 0.5f * x + 1.0f;
    }
    v[threadIdx.x] = x;
}
// ANCHOR_END: kernel

int main() {
    float* d_v = nullptr;
    cudaMalloc(&d_v, 3 * 128 * sizeof(float));
    cudaMemset(d_v, 0, 3 * 128 * sizeof(float));
    cudaStream_t one, two;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);

    // ANCHOR: launches
    spin<<<1, 128, 0, one>>>(d_v, 5000);
    spin<<<1, 128>>>(d_v + 128, 5000);  // the default stream
    spin<<<1, 128, 0, two>>>(d_v + 256, 5000);
    // ANCHOR_END: launches

    float v[3 * 128];
    cudaMemcpy(v, d_v, sizeof v, cudaMemcpyDeviceToHost);
    printf("%g %g %g\n", v[0], v[128], v[256]);

    cudaStreamDestroy(two);
    cudaStreamDestroy(one);
    cudaFree(d_v);
}
