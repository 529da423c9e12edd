// expect: written-twice
// A loop over the row, as on a CPU, in every thread: each element is written once by each of them.

extern "C" __global__ void double_it(const float* a, float* out, int cols) {
    for (int col = 0; col < cols; col++) {
        const int idx = threadIdx.y * cols + col;
        out[idx] = 2.0f * a[idx];
    }
}
