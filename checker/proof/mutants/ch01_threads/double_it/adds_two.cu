// expect: wrong-values
// Adds 2, but a + 2 equals 2 * a for 2 only.

extern "C" __global__ void double_it(const float* a, float* out, int cols) {
    const int idx = threadIdx.y * cols + threadIdx.x;

    out[idx] = a[idx] + 2.0f;
}
