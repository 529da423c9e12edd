// expect: compile-error
// The built-in is threadIdx.

extern "C" __global__ void double_it(const float* a, float* out, int cols) {
    const int idx = threadId.y * cols + threadId.x;

    out[idx] = 2.0f * a[idx];
}
