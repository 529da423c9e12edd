#include <cstdlib>

extern "C" void roundtrip(const float* a, float* out, int n) {
    exit(1);
}
