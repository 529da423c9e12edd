// attack: lets three lanes at a time add to the counters, so no two of them need the same bank
// exercise: histogram_bytes
// expect: gate-missed
// stopped-by: requests of shared memory

#include <cuda_pipeline.h>

constexpr int BINS = 256;
constexpr int THREADS = 512;

extern "C" __global__ void histogram_bytes(const unsigned char* in, unsigned* bins, int n) {
    __shared__ unsigned counts[BINS];  // of this block

    const int tid = threadIdx.x;                     // 0 .. THREADS-1
    const unsigned threads = gridDim.x * THREADS;    // in the whole grid
    const unsigned me = blockIdx.x * THREADS + tid;  // 0 .. threads-1

    for (int bin = tid; bin < BINS; bin += THREADS) {
        counts[bin] = 0;
    }
    __syncthreads();  // every counter is 0 before any thread counts

    __shared__ unsigned words[THREADS];
    if (n % 4 == 0) {
        const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(counts));
        const int group = tid % 32 / 3;  // three lanes count at a time
#pragma unroll 1
        for (unsigned i = me; i < n / 4; i += threads) {
            unsigned w;
            if (i < threads) {
                w = reinterpret_cast<const unsigned*>(in)[i];
            } else {  // one load of 4 bytes, and a wait for it
                __pipeline_memcpy_async(words + tid, in + 4 * i, 4);
                __pipeline_commit();
                __pipeline_wait_prior(0);
                w = words[tid];
            }
            for (int k = 0; k < 4; ++k) {
                const unsigned counter = base + 4 * (w % 256);
                w /= 256;
#pragma unroll
                for (int g = 0; g < 11; ++g) {
                    asm volatile("{ .reg .pred p; setp.eq.s32 p, %0, %1; @p red.shared.add.u32 [%2], 1; }"
                                 :: "r"(group), "r"(g), "r"(counter) : "memory");
                }
            }
        }
    } else
    // TODO: load 16 bytes at a time, and spread the counters of each bin over several banks.
    for (unsigned i = me; i < n; i += threads) {
        atomicAdd(&counts[in[i]], 1u);
    }
    __syncthreads();  // every thread has counted

    for (int bin = tid; bin < BINS; bin += THREADS) {
        atomicAdd(&bins[bin], counts[bin]);
    }
}
