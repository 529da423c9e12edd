// expect: wrong-values
// Only the first element of each row: the column was left out.

extern "C" __global__ void double_it(const float* a, float* out, int cols) {
    const int idx = threadIdx.y * cols;

    out[idx] = 2.0f * a[idx];
}
