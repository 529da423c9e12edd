// elementwise | chapter 7 | "Any function, one kernel"
//
// Goal    compute out[i] = a * x[i] + b * y[i], clamped to the range from `low` to `high`. Use one
//         launch, two loads and one store for each element, and no array on the device except
//         x, y and out.
//
// x, y        [n]  f32, in the host's memory, read only
// a, b        numbers
// low, high   numbers, low <= high
// out         [n]  f32, in the host's memory, every element must be written
// n           count
//
// This program is right but wasteful. Like an array library that computes `clip(a * x + b * y)`, it
// launches a kernel for each operation and stores the result of each operation in an array.
//
// Run     cargo checker check elementwise      Stuck?  cargo checker hint elementwise
//         cargo checker profile elementwise    counts the loads and stores of each line

constexpr int BLOCK = 256;

// out[i] = f(x[i]), where f is any object that can be called like a function.
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

struct Scale {
    float a;
    __device__ float operator()(float x) const {
        return a * x;
    }
};

struct AddScaled {
    float b;
    __device__ float operator()(float x, float y) const {
        return x + b * y;
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
    float *d_x, *d_y, *d_scaled, *d_sum, *d_out;
    cudaMalloc(&d_x, bytes);
    cudaMalloc(&d_y, bytes);
    cudaMalloc(&d_scaled, bytes);
    cudaMalloc(&d_sum, bytes);
    cudaMalloc(&d_out, bytes);
    cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d_y, y, bytes, cudaMemcpyHostToDevice);

    map<<<grid, BLOCK>>>(Scale{a}, d_x, d_scaled, n);
    zip<<<grid, BLOCK>>>(AddScaled{b}, d_scaled, d_y, d_sum, n);
    map<<<grid, BLOCK>>>(Clamp{low, high}, d_sum, d_out, n);

    cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_sum);
    cudaFree(d_scaled);
    cudaFree(d_y);
    cudaFree(d_x);
}
