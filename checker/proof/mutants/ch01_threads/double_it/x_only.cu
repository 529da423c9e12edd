// expect: wrong-values
// Forgets that the block has a second dimension: every row does the work of row 0.

extern "C" __global__ void double_it(const float* a, float* out, int cols) {
    const int idx = threadIdx.x;

    out[idx] = 2.0f * a[idx];
}
