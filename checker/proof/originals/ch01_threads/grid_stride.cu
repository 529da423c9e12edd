// grid_stride | chapter 1 | "One grid, any amount of data"
//
// Goal    compute sqrt(a*a + b*b) per element, with at most 4.5 sectors of 32 bytes per request.
//
// a, b    [n]    f32, read only
// out     [n]    f32, every element must be written, by one thread
// n       count  any n >= 1; there may be more elements than threads, or fewer
// launch  1 block of 32 threads, 4 of 128 or 1024 of 256; the kernel must be right for all three
//
// This kernel is right but slow, because each thread works through a chunk of its own. Look at what
// the 32 threads of a warp read in the same iteration.
//
// Run     cargo checker check grid_stride      Stuck?  cargo checker hint grid_stride

extern "C" __global__ void grid_stride(const float* a, const float* b, float* out, int n) {
    const size_t threads = size_t(gridDim.x) * blockDim.x;            // threads in the whole grid
    const size_t me = size_t(blockIdx.x) * blockDim.x + threadIdx.x;  // 0 .. threads-1
    const size_t chunk = (n + threads - 1) / threads;                 // elements per thread

    for (size_t idx = me * chunk; idx < (me + 1) * chunk && idx < n; idx++) {
        out[idx] = sqrtf(a[idx] * a[idx] + b[idx] * b[idx]);
    }
}
