// expect: wrong-values
// Copies the elements without doubling them.

extern "C" __global__ void double_it(const float* a, float* out, int cols) {
    const int idx = threadIdx.y * cols + threadIdx.x;

    out[idx] = a[idx];
}
