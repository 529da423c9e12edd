// expect: wrong-values
// Squares the element, but a * a equals 2 * a for 0 and 2 only.

extern "C" __global__ void double_it(const float* a, float* out, int cols) {
    const int idx = threadIdx.y * cols + threadIdx.x;

    out[idx] = a[idx] * a[idx];
}
