// expect: compile-error
// The most common mistake of all.

extern "C" __global__ void double_it(const float* a, float* out, int cols) {
    const int idx = threadIdx.y * cols + threadIdx.x

    out[idx] = 2.0f * a[idx];
}
