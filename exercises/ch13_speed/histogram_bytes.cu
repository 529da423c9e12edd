// histogram_bytes | chapter 13 | "Counters in different banks"
//
// Goal    add the number of bytes with each value to bins, with loads of 16 bytes, and with at most
//         1.2 bank conflicts for 32 random bytes.
//
// in      [n]    unsigned char, read only; in[0] is at a multiple of 16 bytes
// bins    [256]  unsigned int, to which the kernel adds its counts
// n       count  any n >= 1
// launch  1-D, blocks of THREADS threads; on a GPU, four blocks for each multiprocessor
//
// This kernel is right, and like the kernel of chapter 6, it counts in shared memory. However, each
// load is for a single byte, and the atomic operations of a warp have bank conflicts.
//
// Run     cargo checker check histogram_bytes  Stuck?  cargo checker hint histogram_bytes

constexpr int BINS = 256;
constexpr int THREADS = 512;

extern "C" __global__ void histogram_bytes(const unsigned char* in, unsigned* bins, int n) {
    __shared__ unsigned counts[BINS];  // counts of this block

    const int tid = threadIdx.x;                     // 0 .. THREADS-1
    const unsigned threads = gridDim.x * THREADS;    // threads in the whole grid
    const unsigned me = blockIdx.x * THREADS + tid;  // 0 .. threads-1

    for (int bin = tid; bin < BINS; bin += THREADS) {
        counts[bin] = 0;
    }
    __syncthreads();  // every counter is 0 before any thread counts

    // TODO: load 16 bytes at a time, and spread the counters of each bin over several banks.
    for (unsigned i = me; i < n; i += threads) {
        atomicAdd(&counts[in[i]], 1u);
    }
    __syncthreads();  // every thread has counted

    for (int bin = tid; bin < BINS; bin += THREADS) {
        atomicAdd(&bins[bin], counts[bin]);
    }
}
