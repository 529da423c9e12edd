// expect: uninitialised-read
// Adds to an output that nothing has written yet.

extern "C" __global__ void double_it(const float* a, float* out, int cols) {
    const int idx = threadIdx.y * cols + threadIdx.x;

    out[idx] += 2.0f * a[idx];
}
