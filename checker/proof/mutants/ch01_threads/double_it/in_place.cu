// expect: input-changed
// Doubles the input in place and then copies it, although the input is read only.

extern "C" __global__ void double_it(float* a, float* out, int cols) {
    const int idx = threadIdx.y * cols + threadIdx.x;

    a[idx] = 2.0f * a[idx];
    out[idx] = a[idx];
}
