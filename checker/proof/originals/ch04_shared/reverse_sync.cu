// reverse_sync | chapter 4 | "A barrier between write and read"
//
// Goal    let each block reverse its slice of `in`, so that the first element of the slice becomes
//         the last. Every thread stores its element in shared memory for another thread to read.
//
// in      [n]  f32, read only
// out     [n]  f32, every element must be written
// launch  n threads, in full blocks of at most MOST threads; every thread has an element
//
// The results may be right on your GPU, but the kernel is still wrong.
//
// Run     cargo checker check reverse_sync     Stuck?  cargo checker hint reverse_sync

constexpr int MOST = 256;  // threads of the largest block

extern "C" __global__ void reverse_sync(const float* in, float* out) {
    __shared__ float tile[MOST];  // a slot for each thread, shared by the whole block

    const int tid = threadIdx.x;                    // index in the block, 0 .. blockDim.x-1
    const int idx = blockIdx.x * blockDim.x + tid;  // index in the array, 0 .. n-1

    tile[tid] = in[idx];
    out[idx] = tile[blockDim.x - 1 - tid];
}
