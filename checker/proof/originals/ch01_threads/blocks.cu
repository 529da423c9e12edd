// blocks | chapter 1 | "Many blocks"
//
// Goal    compute out = a + b, element by element, with more elements than one block has threads.
//
// a, b    [n]    f32, read only
// out     [n]    f32, every element must be written, by one thread
// n       count  any n >= 1
// launch  ceil(n / blockDim.x) blocks; the block size differs from case to case
//
// This kernel is right for one block. With two blocks, both do the same work.
//
// Run     cargo checker check blocks           Stuck?  cargo checker hint blocks

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int idx = threadIdx.x;  // index in the data

    if (idx < n) {
        out[idx] = a[idx] + b[idx];
    }
}
