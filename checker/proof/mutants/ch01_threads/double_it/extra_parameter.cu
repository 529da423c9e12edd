// expect: wrong-signature
// Declares a parameter that the launch does not pass.

extern "C" __global__ void double_it(const float* a, float* out, int rows, int cols) {
    const int idx = threadIdx.y * cols + threadIdx.x;

    if (threadIdx.y < rows) {
        out[idx] = 2.0f * a[idx];
    }
}
