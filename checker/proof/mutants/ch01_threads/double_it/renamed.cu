// expect: wrong-signature
// Another name than the exercise: the checker would not know what to launch.

extern "C" __global__ void doubleIt(const float* a, float* out, int cols) {
    const int idx = threadIdx.y * cols + threadIdx.x;

    out[idx] = 2.0f * a[idx];
}
