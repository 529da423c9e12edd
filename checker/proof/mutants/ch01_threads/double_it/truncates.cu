// expect: wrong-values
// Passes the value through an int and loses what lies behind the point.

extern "C" __global__ void double_it(const float* a, float* out, int cols) {
    const int idx = threadIdx.y * cols + threadIdx.x;
    const int value = a[idx];

    out[idx] = 2 * value;
}
