// guard | chapter 1 | "More threads than data"
//
// Goal    compute out = a + 10, element by element, without an access outside the arrays.
//
// a       [n]    f32, read only
// out     [n]    f32, every element must be written
// n       count  any n >= 1, and at most the number of threads
// launch  1 block of 1024 threads, for every n
//
// This kernel is right only if there are exactly as many threads as elements.
//
// Run     cargo checker check guard            Stuck?  cargo checker hint guard

extern "C" __global__ void guard(const float* a, float* out, int n) {
    const int idx = threadIdx.x;  // 0 .. 1023

    out[idx] = a[idx] + 10.0f;
}
