// expect: wrong-values
// Converts the value to an int, which loses its fraction.

extern "C" __global__ void double_it(const float* a, float* out, int cols) {
    const int idx = threadIdx.y * cols + threadIdx.x;
    const int value = a[idx];

    out[idx] = 2 * value;
}
