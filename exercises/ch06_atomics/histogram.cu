// histogram | chapter 6 | "A counter for each block"
//
// Goal    for every k, add the number of elements in [k/256, (k+1)/256) to bins[k], with at most
//         256 atomic operations on global memory for each block.
//
// in      [n]    f32, read only; an element outside [0, 1) belongs to no bin
// bins    [256]  u32, read and changed: they already contain the counts of earlier launches
// n       count  any n >= 1; there may be more elements than threads, or fewer
// launch  1 to 8 blocks of 96, 128 or 256 threads
//
// This kernel is right but slow. Every element needs an atomic operation on global memory, and if
// many elements fall into one bin, these operations wait for each other at the same address.
//
// Run     cargo checker check histogram        Stuck?  cargo checker hint histogram

constexpr int BINS = 256;

extern "C" __global__ void histogram(const float* in, unsigned* bins, int n) {
    const size_t stride = size_t(gridDim.x) * blockDim.x;             // threads in the whole grid
    const size_t me = size_t(blockIdx.x) * blockDim.x + threadIdx.x;  // 0 .. stride-1

    for (size_t idx = me; idx < n; idx += stride) {
        const float value = in[idx];
        if (value >= 0.0f && value < 1.0f) {
            atomicAdd(&bins[int(value * BINS)], 1u);
        }
    }
}
