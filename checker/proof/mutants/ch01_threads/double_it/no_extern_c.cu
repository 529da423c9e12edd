// expect: wrong-signature
// Lacks extern "C", so the compiler mangles the kernel's name.

__global__ void double_it(const float* a, float* out, int cols) {
    const int idx = threadIdx.y * cols + threadIdx.x;

    out[idx] = 2.0f * a[idx];
}
