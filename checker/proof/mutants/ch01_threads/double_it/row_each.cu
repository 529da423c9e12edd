// expect: written-twice
// Every thread loops over its row, as on a CPU, so each element is written once by every thread
// of the row.

extern "C" __global__ void double_it(const float* a, float* out, int cols) {
    for (int col = 0; col < cols; col++) {
        const int idx = threadIdx.y * cols + col;
        out[idx] = 2.0f * a[idx];
    }
}
