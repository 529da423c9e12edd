// Scales each group of 32 samples so that the loudest one becomes 1 or -1.
#include <cstdio>

// ANCHOR: kernel
__global__ void normalise(const float* in, float* out, int n) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    float sample = idx < n ? in[idx] : 0.0f;                       // (1)

    float loudest = fabsf(sample);
    for (int distance = 16; distance > 0; distance /= 2) {         // (2)
        float other = __shfl_xor_sync(0xffffffff, loudest, distance);
        loudest = fmaxf(loudest, other);                           // (3)
    }

    if (idx < n) {
        out[idx] = loudest > 0.0f ? sample / loudest : 0.0f;       // (4)
    }
}
// ANCHOR_END: kernel

int main() {
    const int n = 50;
    float in[n], out[n];
    for (int i = 0; i < n; ++i) {
        in[i] = (i * 7 % 20) - 10.5f;
    }
    float *d_in, *d_out;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof out);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);

    normalise<<<1, 64>>>(d_in, d_out, n);

    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    printf("%.2f %.2f %.2f ... %.2f %.2f\n", out[0], out[1], out[2],
           out[48], out[49]);
    cudaFree(d_out);
    cudaFree(d_in);
}
