// A thread whose index is beyond the data must neither load nor store, so each thread compares its
// index with n first. Besides that comparison, each element takes a load, an addition and a store.
// The guard covers the load as well, because reading past the end is a bug too, although a compiler
// may leave out a load whose value no element needs.

extern "C" __global__ void guard(const float* a, float* out, int n) {
    const int idx = threadIdx.x;  // 0 .. 1023

    if (idx < n) {
        out[idx] = a[idx] + 10.0f;
    }
}
