// attack: loads single bytes, sixteen of them one after the other, to have enough bytes in flight
// exercise: histogram_bytes
// expect: gate-missed
// stopped-by: a limit on load requests

// Each bin has 16 counters, and lanes l and l + 16 use counter l. Neighbouring counters are in
// neighbouring banks, so only two lanes use the same bank, whatever the bytes are. A thread loads
// 16 bytes with one request, which keeps enough bytes in flight. At the end, a thread adds up the
// 16 counters of a bin. Each pair of threads begins with a different counter, because the counters
// with the same index are in only two banks.

constexpr int BINS = 256;
constexpr int THREADS = 512;
constexpr int COPIES = 16;  // counters of each bin

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
    unsigned i = me;
    for (; i + 15 * threads < n; i += 16 * threads) {
        unsigned char v[16];
#pragma unroll
        for (int k = 0; k < 16; ++k) v[k] = in[i + k * threads];
#pragma unroll
        for (int k = 0; k < 16; ++k) atomicAdd(&mine[v[k] * COPIES], 1u);
    }
    for (; i < n; i += threads) atomicAdd(&mine[in[i] * COPIES], 1u);
    __syncthreads();  // every thread has counted

    for (int bin = tid; bin < BINS; bin += THREADS) {
        unsigned sum = 0;
        for (int k = 0; k < COPIES; ++k) {
            sum += counts[bin * COPIES + (k + bin / 2) % COPIES];
        }
        atomicAdd(&bins[bin], sum);
    }
}
