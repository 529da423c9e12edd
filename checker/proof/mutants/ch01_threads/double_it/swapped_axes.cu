// expect: out-of-bounds-write
// Takes x for the row. On a square block this would even be right.

extern "C" __global__ void double_it(const float* a, float* out, int cols) {
    const int row = threadIdx.x;
    const int col = threadIdx.y;
    const int idx = row * cols + col;

    out[idx] = 2.0f * a[idx];
}
