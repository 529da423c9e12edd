// expect: wrong-values
// Adds row and column: forgets that a whole row lies before the next one.

extern "C" __global__ void double_it(const float* a, float* out, int cols) {
    const int idx = threadIdx.y + threadIdx.x;

    out[idx] = 2.0f * a[idx];
}
