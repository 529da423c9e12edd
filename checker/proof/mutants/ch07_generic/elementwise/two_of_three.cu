// expect: gate-missed
// The sum is one kernel, the limits are another one.

constexpr int BLOCK = 256;

// out[i] = f(x[i]) for any f: an object that can be called like a function.
template <typename Function> __global__ void map(Function f, const float* x, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        out[idx] = f(x[idx]);
    }
}

// out[i] = f(x[i], y[i])
template <typename Function>
__global__ void zip(Function f, const float* x, const float* y, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        out[idx] = f(x[idx], y[idx]);
    }
}

struct AddScaled {
    float a, b;
    __device__ float operator()(float x, float y) const {
        return a * x + b * y;
    }
};

struct Clamp {
    float low, high;
    __device__ float operator()(float x) const {
        return fminf(fmaxf(x, low), high);
    }
};

extern "C" void elementwise(const float* x, const float* y, float a, float b, float low, float high,
                            float* out, int n) {
    const size_t bytes = n * sizeof(float);
    const int grid = (n + BLOCK - 1) / BLOCK;
    float *d_x, *d_y, *d_sum, *d_out;
    cudaMalloc(&d_x, bytes);
    cudaMalloc(&d_y, bytes);
    cudaMalloc(&d_sum, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_y, y, bytes, cudaMemcpyHostToDevice);

    zip<<<grid, BLOCK>>>(AddScaled{a, b}, d_x, d_y, d_sum, n);
    map<<<grid, BLOCK>>>(Clamp{low, high}, d_sum, d_out, n);

    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_sum);
    cudaFree(d_y);
    cudaFree(d_x);
}
