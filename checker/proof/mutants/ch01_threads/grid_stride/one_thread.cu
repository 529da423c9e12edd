// expect: gate-missed
// One thread does everything: it touches one sector in each request, and needs 32 times as many
// requests.

extern "C" __global__ void grid_stride(const float* a, const float* b, float* out, int n) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        for (size_t idx = 0; idx < n; idx++) {
            out[idx] = sqrtf(a[idx] * a[idx] + b[idx] * b[idx]);
        }
    }
}
