// expect: wrong-signature
// Without extern "C" the compiler mangles the name.

__global__ void double_it(const float* a, float* out, int cols) {
    const int idx = threadIdx.y * cols + threadIdx.x;

    out[idx] = 2.0f * a[idx];
}
