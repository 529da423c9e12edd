#include <cmath>

extern "C" void roundtrip(const float* a, float* out, int n) {
    for (int i = 0; i < n; ++i) {
        out[i] = sinf(a[i]);
    }
}
