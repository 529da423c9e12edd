// A thread whose index is beyond the data must neither load nor store, so each thread compares its
// index with n first. Besides this comparison, each element takes a load, an addition and a store.
// The guard contains the load, too, because reading past the end is also a bug. A compiler may
// remove a load whose value the kernel doesn't use, but a program must not rely on this.

extern "C" __global__ void guard(const float* a, float* out, int n) {
    const int idx = threadIdx.x;  // 0 .. 1023

    if (idx < n) {
        out[idx] = a[idx] + 10.0f;
    }
}
