// attack: fills its output with NaN
// exercise: roundtrip
// expect: not-a-number
// gpu: yes
// stopped-by: NaN is never accepted as a right value

extern "C" void roundtrip(const float* a, float* out, int n) {
    for (int i = 0; i < n; ++i) {
        out[i] = __builtin_nanf("");
    }
}
