// Each bin has 32 counters, one for each lane. The counters of a lane are in a bank of their own, so
// no lane waits for another one, whatever the bytes are. A thread loads 16 bytes with one request,
// which keeps enough bytes in flight. At the end, a thread adds up the 32 counters of a bin. Each
// thread of a warp begins with a different counter, because the counters with the same index are in
// one bank.

constexpr int BINS = 256;
constexpr int THREADS = 512;
constexpr int COPIES = 32;  // counters of each bin

__device__ void count_word(unsigned* mine, unsigned word) {
    atomicAdd(&mine[(word & 255) * COPIES], 1u);
    atomicAdd(&mine[(word >> 8 & 255) * COPIES], 1u);
    atomicAdd(&mine[(word >> 16 & 255) * COPIES], 1u);
    atomicAdd(&mine[(word >> 24) * COPIES], 1u);
}

extern "C" __global__ void histogram_bytes(const unsigned char* in, unsigned* bins, int n) {
    __shared__ unsigned counts[BINS * COPIES];  // the counters of bin b start at b * COPIES

    const int tid = threadIdx.x;                     // 0 .. THREADS-1
    const unsigned threads = gridDim.x * THREADS;    // threads in the whole grid
    const unsigned me = blockIdx.x * THREADS + tid;  // 0 .. threads-1

    for (int i = tid; i < BINS * COPIES; i += THREADS) {
        counts[i] = 0;
    }
    __syncthreads();  // every counter is 0 before any thread counts

    unsigned* mine = counts + tid % COPIES;  // this lane's counter of bin 0
    const uint4* in16 = reinterpret_cast<const uint4*>(in);
    const unsigned sixteens = n / 16;  // elements of in16
    for (unsigned i = me; i < sixteens; i += threads) {
        const uint4 v = in16[i];
        count_word(mine, v.x);
        count_word(mine, v.y);
        count_word(mine, v.z);
        count_word(mine, v.w);
    }
    for (unsigned i = 16 * sixteens + me; i < n; i += threads) {  // up to 15 bytes
        atomicAdd(&mine[in[i] * COPIES], 1u);
    }
    __syncthreads();  // every thread has counted

    for (int bin = tid; bin < BINS; bin += THREADS) {
        unsigned sum = 0;
        for (int k = 0; k < COPIES; ++k) {
            sum += counts[bin * COPIES + (k + bin) % COPIES];
        }
        atomicAdd(&bins[bin], sum);
    }
}
