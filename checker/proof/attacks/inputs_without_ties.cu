// attack: the median is the value with 31 smaller ones, which is wrong if two pictures have the same value
// exercise: register_budget
// expect: wrong-values
// stopped-by: inputs of this kind in one of the cases

extern "C" __global__ void __launch_bounds__(256, 4) register_budget(const float* stack, float* median, int n) {
    __shared__ float s[47 * 256];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v[16];
    float* mine = s + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 16; ++k) v[k] = stack[k * n + i];
#pragma unroll 1
    for (int k = 0; k < 47; ++k) mine[k * 256] = stack[(k + 16) * n + i];
    float m = 0.0f;
#pragma unroll 1
    for (int k = 0; k < 47; ++k) {
        const float x = mine[k * 256];
        int less = 0;
#pragma unroll
        for (int j = 0; j < 16; ++j) less += v[j] < x;
#pragma unroll 8
        for (int j = 0; j < 47; ++j) less += mine[j * 256] < x;
        if (less == 31) m = x;
    }
#pragma unroll
    for (int k = 0; k < 16; ++k) {
        int less = 0;
#pragma unroll
        for (int j = 0; j < 16; ++j) less += v[j] < v[k];
#pragma unroll 8
        for (int j = 0; j < 47; ++j) less += mine[j * 256] < v[k];
        if (less == 31) m = v[k];
    }
    median[i] = m;
}
