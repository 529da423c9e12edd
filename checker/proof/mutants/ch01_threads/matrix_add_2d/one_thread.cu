// expect: gate-missed
// One thread does everything: it needs one sector in each request, and 32 times as many
// requests.

extern "C" __global__ void matrix_add_2d(const float* a, const float* b, float* out, int rows,
                                         int cols) {
    if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0 && threadIdx.y == 0) {
        for (int idx = 0; idx < rows * cols; idx++) {
            out[idx] = a[idx] + b[idx];
        }
    }
}
