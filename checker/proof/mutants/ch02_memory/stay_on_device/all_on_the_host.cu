// expect: computed-on-host
// Computes everything on the host, without a kernel or a copy.

extern "C" void stay_on_device(const float* x, const float* w, float mean, float deviation,
                               float* out, int n) {
    for (int i = 0; i < n; ++i) {
        const float v = (x[i] - mean) / deviation * w[i];
        out[i] = v / (1.0f + (v < 0.0f ? -v : v));
    }
}
