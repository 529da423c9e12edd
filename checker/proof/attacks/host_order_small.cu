// attack: computes on the host, and makes 32 short copies of one of two elements each, which spell the result
// exercise: reduction_kernel
// expect: computed-on-host
// stopped-by: the flow of data: each piece that the host copies must come from the same place with other values in the arrays

#include <cmath>
#include <cstring>

// Loads the elements only because a gate counts loads. With less than two elements, it computes.
__global__ void decode(int what, const float* x, const float* y, float limit, int n, const float* bits, float* out) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float unused;
        asm volatile("ld.volatile.global.f32 %0, [%1];" : "=f"(unused) : "l"(x + i));
    }
    if (blockIdx.x > 0 || threadIdx.x > 0) {
        return;
    }
    unsigned value = 0;
    for (int k = 0; n > 1 && k < 32; ++k) {
        value |= unsigned(bits[k] == x[1]) << k;
    }
    if (n > 1) {
        *out = __uint_as_float(value);
    } else if (n == 1) {
        *out = what == 0 ? x[0] * y[0] : what == 1 ? -fabsf(x[0]) : float(x[0] > limit);
    } else {
        *out = what == 1 ? -INFINITY : 0.0f;
    }
}

extern "C" void reduction_kernel(int what, const float* x, const float* y, float limit, float* result, int n) {
    double sum = what == 1 ? -INFINITY : 0.0;
    for (int i = 0; i < n; ++i) {
        if (what == 1) {
            sum = fmax(sum, -fabs(double(x[i])));
        } else {
            sum += what == 0 ? double(x[i]) * y[i] : double(x[i] > limit);
        }
    }
    const float answer = sum;
    unsigned value;
    std::memcpy(&value, &answer, sizeof(value));
    float *d_x, *d_y, *d_bits, *d_out;
    cudaMalloc(&d_x, n * sizeof(float) + 4);
    cudaMalloc(&d_y, n * sizeof(float) + 4);
    cudaMalloc(&d_bits, 32 * sizeof(float));
    cudaMalloc(&d_out, sizeof(float));
    cudaMemcpy(d_x, x, n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_y, y, n * sizeof(float), cudaMemcpyHostToDevice);
    for (int k = 0; n > 1 && k < 32; ++k) {
        const float word = x[value >> k & 1];
        cudaMemcpy(d_bits + k, &word, sizeof(word), cudaMemcpyHostToDevice);
    }
    decode<<<64, 256>>>(what, d_x, d_y, limit, n, d_bits, d_out);
    cudaMemcpy(result, d_out, sizeof(float), cudaMemcpyDeviceToHost);
    for (float* array : {d_x, d_y, d_bits, d_out}) {
        cudaFree(array);
    }
}
