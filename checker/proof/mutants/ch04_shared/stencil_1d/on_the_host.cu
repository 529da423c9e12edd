// expect: computed-on-host
// Computes on the host, so it loads nothing from global memory.

extern "C" void stencil_1d(const float* in, float* out, int n, int radius) {
    for (int idx = 0; idx < n; ++idx) {
        float sum = 0.0f;
        for (int i = idx - radius; i <= idx + radius; ++i) {
            sum += (0 <= i && i < n) ? in[i] : 0.0f;
        }
        out[idx] = sum;
    }
}
