// stay_on_device | chapter 2 | "Keep data on the device"
//
// Goal    compute out = activate(weigh(normalise(x))), with three kernels one after the other, two
//         copies in and one copy out.
//
// x, w    [n]  f32, in the host's memory, read only
// mean, deviation  numbers: normalise(x) = (x - mean) / deviation
// out     [n]  f32, in the host's memory, every element must be written
// n       count
//
// This program is right but wasteful. Each step is a function that works on its own, because it
// copies its data to the device and the results back. So there are four copies in and three out.
//
// Run     cargo checker check stay_on_device   Stuck?  cargo checker hint stay_on_device

#include <vector>

__global__ void normalise_kernel(float* v, float mean, float deviation, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        v[idx] = (v[idx] - mean) / deviation;
    }
}

__global__ void weigh_kernel(float* v, const float* w, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        v[idx] = v[idx] * w[idx];
    }
}

__global__ void activate_kernel(float* v, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        v[idx] = v[idx] / (1.0f + fabsf(v[idx]));  // between -1 and 1
    }
}

constexpr int BLOCK = 256;

int blocks(int n) {
    return (n + BLOCK - 1) / BLOCK;
}

void normalise(const float* in, float mean, float deviation, float* out, int n) {
    float* d_v = nullptr;
    cudaMalloc(&d_v, n * sizeof(float));
    cudaMemcpy(d_v, in, n * sizeof(float), cudaMemcpyHostToDevice);
    normalise_kernel<<<blocks(n), BLOCK>>>(d_v, mean, deviation, n);
    cudaMemcpy(out, d_v, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_v);
}

void weigh(const float* in, const float* w, float* out, int n) {
    float *d_v, *d_w;
    cudaMalloc(&d_v, n * sizeof(float));
    cudaMalloc(&d_w, n * sizeof(float));
    cudaMemcpy(d_v, in, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_w, w, n * sizeof(float), cudaMemcpyHostToDevice);
    weigh_kernel<<<blocks(n), BLOCK>>>(d_v, d_w, n);
    cudaMemcpy(out, d_v, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_w);
    cudaFree(d_v);
}

void activate(const float* in, float* out, int n) {
    float* d_v = nullptr;
    cudaMalloc(&d_v, n * sizeof(float));
    cudaMemcpy(d_v, in, n * sizeof(float), cudaMemcpyHostToDevice);
    activate_kernel<<<blocks(n), BLOCK>>>(d_v, n);
    cudaMemcpy(out, d_v, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_v);
}

extern "C" void stay_on_device(const float* x, const float* w, float mean, float deviation,
                               float* out, int n) {
    std::vector<float> normalised(n), weighed(n);
    normalise(x, mean, deviation, normalised.data(), n);
    weigh(normalised.data(), w, weighed.data(), n);
    activate(weighed.data(), out, n);
}
