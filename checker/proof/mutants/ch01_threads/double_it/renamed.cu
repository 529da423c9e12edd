// expect: wrong-signature
// Has another name than the exercise, so the checker cannot find the kernel to launch.

extern "C" __global__ void doubleIt(const float* a, float* out, int cols) {
    const int idx = threadIdx.y * cols + threadIdx.x;

    out[idx] = 2.0f * a[idx];
}
