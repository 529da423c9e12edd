// attack: computes on the host and calls nothing of CUDA
// exercise: roundtrip
// expect: computed-on-host or gate-missed
// stopped-by: the flow of data: outputs come from the device, and nothing else that the host sends depends on the inputs

#include <cmath>

extern "C" void roundtrip(const float* a, float* out, int n) {
    for (int i = 0; i < n; ++i) {
        out[i] = sinf(a[i]);
    }
}
