// attack: changes the inputs on the host so that they fit the output
// exercise: roundtrip
// expect: input-changed
// gpu: yes
// stopped-by: inputs are compared after the run, and the reference uses its own copy

extern "C" void roundtrip(const float* a, float* out, int n) {
    for (int i = 0; i < n; ++i) {
        const_cast<float*>(a)[i] = 0;
        out[i] = 0;
    }
}
