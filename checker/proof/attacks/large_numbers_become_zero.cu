// attack: numbers from 1000 on have the result 0
// exercise: grid_stride
// expect: wrong-values
// stopped-by: a case with numbers up to 1e6

extern "C" __global__ void grid_stride(const float* a, const float* b, float* out, int n) {
    const size_t threads = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads) {
        const bool small = fmaxf(fabsf(a[i]), fabsf(b[i])) < 1000.0f;
        out[i] = small ? sqrtf(a[i] * a[i] + b[i] * b[i]) : 0.0f;
    }
}
