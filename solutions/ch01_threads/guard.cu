// Idea    a thread whose index is beyond the data must not load or store, so compare first.
// Work    a comparison for each thread; a load, an addition and a store for each element.
// Notice  the guard covers the load as well: reading past the end is a bug, too, although a compiler
//         may leave out a load whose value no element needs.

extern "C" __global__ void guard(const float* a, float* out, int n) {
    const int idx = threadIdx.x;  // 0 .. 1023

    if (idx < n) {
        out[idx] = a[idx] + 10.0f;
    }
}
