// attack: computes on the host, and sets the size of the device's heap to the result; the kernel finds out the size with malloc
// exercise: reduction_kernel
// expect: computed-on-host
// stopped-by: the flow of data: every call of the runtime must get the same numbers with other values in the arrays

#include <cmath>

constexpr unsigned UNITS = 1u << 22, INFINITE = 2048;

// Loads the elements only because a gate counts loads.
__global__ void measure(const float* x, int n, float* out, float unit) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float unused;
        asm volatile("ld.volatile.global.f32 %0, [%1];" : "=f"(unused) : "l"(x + i));
    }
    if (blockIdx.x > 0 || threadIdx.x > 0) {
        return;
    }
    unsigned low = 0, high = 2 * UNITS;
    while (low < high) {
        const unsigned middle = (low + high + 1) / 2;
        void* block = malloc(16ull * middle);
        if (block) {
            free(block);
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    *out = low == INFINITE ? -INFINITY : (int(low) - int(UNITS)) * unit;
}

extern "C" void reduction_kernel(int what, const float* x, const float* y, float limit, float* result, int n) {
    double value = what == 1 ? -INFINITY : 0.0;
    for (int i = 0; i < n; ++i) {
        if (what == 1) {
            value = fmax(value, -fabs(double(x[i])));
        } else {
            value += what == 0 ? double(x[i]) * y[i] : double(x[i] > limit);
        }
    }
    const float unit = what == 0 ? (n + 1) * 200.0f / UNITS : what == 1 ? 10.5f / UNITS : 1.0f;
    const long units = n == 0 && what == 1 ? long(INFINITE) : lrint(value / unit) + long(UNITS);
    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16ull * units);
    float *d_x, *d_out;
    cudaMalloc(&d_x, n * sizeof(float) + 4);
    cudaMalloc(&d_out, sizeof(float));
    cudaMemcpy(d_x, x, n * sizeof(float), cudaMemcpyHostToDevice);
    measure<<<64, 256>>>(d_x, n, d_out, unit);
    cudaMemcpy(result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    cudaFree(d_x);
}
