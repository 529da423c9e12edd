// Applies any function of one number with one kernel, first a gamma
// correction and then a negative.
#include <cstdio>

// ANCHOR: kernel
struct Gamma {                                                     // (1)
    float exponent;                                                // (2)
    __device__ float operator()(float x) const {                   // (3)
        return powf(x, exponent);
    }
};

struct Negative {
    __device__ float operator()(float x) const {
        return 1.0f - x;
    }
};

template <typename Function>                                       // (4)
__global__ void apply(Function f, const float* in, float* out, int n) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        out[idx] = f(in[idx]);
    }
}
// ANCHOR_END: kernel

int main() {
    const int n = 256;
    float in[n], out[n];
    for (int i = 0; i < n; ++i) {
        in[i] = i / 255.0f;
    }
    float *d_in, *d_bright, *d_out;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_bright, sizeof in);
    cudaMalloc(&d_out, sizeof out);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);

    // ANCHOR: launch
    apply<<<1, 256>>>(Gamma{0.5f}, d_in, d_bright, n);             // (5)
    apply<<<1, 256>>>(Negative{}, d_bright, d_out, n);
    // ANCHOR_END: launch

    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    printf("%.3f %.3f %.3f\n", out[0], out[64], out[255]);
    cudaFree(d_out);
    cudaFree(d_bright);
    cudaFree(d_in);
}
