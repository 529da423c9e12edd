#include <cstdio>

// ANCHOR: kernel
__global__ void differences(const float* in, float* out) {
    int i = threadIdx.x;
    out[i] = in[i + 1] - in[i];  // no guard
}
// ANCHOR_END: kernel

int main() {
    const int n = 100;  // elements, which have 99 differences
    float *in, *out;
    cudaMallocManaged(&in, n * sizeof(float));
    cudaMallocManaged(&out, (n - 1) * sizeof(float));
    for (int i = 0; i < n; i++) {
        in[i] = i * i;
    }

    differences<<<1, 128>>>(in, out);
    cudaDeviceSynchronize();

    int wrong = 0;
    for (int i = 0; i < n - 1; i++) {
        wrong += out[i] != 2 * i + 1;
    }
    printf("%d of %d differences are wrong\n", wrong, n - 1);
    cudaFree(in);
    cudaFree(out);
}
