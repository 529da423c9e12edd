// attack: doubles the elements on the host, writes the error codes down, and makes no call of CUDA at all
// exercise: error_checking
// expect: computed-on-host
// stopped-by: the flow of data: the elements come from the device; besides, in five cases no argument predicts the error

extern "C" void error_checking(int* codes, float* data, int n, unsigned long long bytes, int threads, int bad) {
    const int memory[] = {2, -1, -1, -1, -1, -1}, launch[] = {0, 0, 1, -1, -1, 0}, kernel[] = {0, 0, 0, 719, -1, 719};
    const int* known = bytes > 1ull << 45 ? memory : threads > 1024 ? launch : bad < n ? kernel : nullptr;
    for (int i = 0; i < 6; ++i) codes[i] = known ? known[i] : 0;
    for (int i = 0; i < n && !known; ++i) data[i] *= 2.0f;
}
