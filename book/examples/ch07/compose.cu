// Applies two functions in one launch. An object contains both of them.
#include <cstdio>

struct Gamma {
    float exponent;
    __device__ float operator()(float x) const {
        return powf(x, exponent);
    }
};

struct Negative {
    __device__ float operator()(float x) const {
        return 1.0f - x;
    }
};

template <typename Function>
__global__ void apply(Function f, const float* in, float* out, int n) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        out[idx] = f(in[idx]);
    }
}

// ANCHOR: kernel
template <typename First, typename Second>
struct Then {
    First first;
    Second second;
    __device__ float operator()(float x) const {
        return second(first(x));                                   // (1)
    }
};
// ANCHOR_END: kernel

int main() {
    const int n = 256;
    float in[n], out[n];
    for (int i = 0; i < n; ++i) {
        in[i] = i / 255.0f;
    }
    float *d_in, *d_out;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof out);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);

    // ANCHOR: launch
    Then<Gamma, Negative> both{Gamma{0.5f}, Negative{}};           // (2)
    apply<<<1, 256>>>(both, d_in, d_out, n);
    // ANCHOR_END: launch

    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    printf("%.3f %.3f %.3f\n", out[0], out[64], out[255]);
    cudaFree(d_out);
    cudaFree(d_in);
}
