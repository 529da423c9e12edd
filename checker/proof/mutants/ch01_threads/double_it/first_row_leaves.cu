// expect: wrong-values
// An early return that lets the first row go home without working.

extern "C" __global__ void double_it(const float* a, float* out, int cols) {
    if (threadIdx.y == 0) {
        return;
    }
    const int idx = threadIdx.y * cols + threadIdx.x;
    out[idx] = 2.0f * a[idx];
}
