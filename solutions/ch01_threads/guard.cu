// Idea    a thread whose index is not an index of the data must touch nothing: ask before the first
// access. Work    one comparison more for each thread; one load, one addition and one store for
// each element. Notice  the guard covers the load as well as the store: reading past the end is a
// bug too.

extern "C" __global__ void guard(const float* a, float* out, int n) {
    const int idx = threadIdx.x;  // 0 .. 1023

    if (idx < n) {
        out[idx] = a[idx] + 10.0f;
    }
}
