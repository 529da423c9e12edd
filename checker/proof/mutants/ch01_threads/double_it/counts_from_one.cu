// expect: out-of-bounds-write
// Counts elements from 1.

extern "C" __global__ void double_it(const float* a, float* out, int cols) {
    const int idx = threadIdx.y * cols + threadIdx.x + 1;

    out[idx] = 2.0f * a[idx];
}
