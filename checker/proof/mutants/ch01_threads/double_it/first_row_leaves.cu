// expect: wrong-values
// The threads of the first row return early without doing their work.

extern "C" __global__ void double_it(const float* a, float* out, int cols) {
    if (threadIdx.y == 0) {
        return;
    }
    const int idx = threadIdx.y * cols + threadIdx.x;
    out[idx] = 2.0f * a[idx];
}
