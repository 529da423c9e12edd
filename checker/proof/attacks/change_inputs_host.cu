// attack: makes the inputs fit the output, on the host
// exercise: roundtrip
// expect: input-changed
// gpu: yes
// stopped-by: inputs are compared after the run, and the reference takes its own

extern "C" void roundtrip(const float* a, float* out, int n) {
    for (int i = 0; i < n; ++i) {
        const_cast<float*>(a)[i] = 0;
        out[i] = 0;
    }
}
