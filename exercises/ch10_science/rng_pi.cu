// rng_pi | chapter 10 | "Random numbers for each thread"
//
// Goal    generate points in the square from 0 to 1 and count the hits in the quarter of a circle.
//         pi is about 4 * hits / points. Every thread has its own random numbers: draw `round`
//         of thread `idx` is philox with the counter (round, 0, idx, 0) and the key (seed, 0).
//         Use at most one atomic operation on global memory for each block.
//
// first   [n]     u32, the first word that each thread draws: the x of its draw 0
// hits    [1]     u32, all hits so far; it already contains the hits of earlier launches
// seed    number  chooses one set of streams
// rounds  count   draws of each thread; a draw is two points (x, y) and (z, w)
// n       count   threads that generate points, any n >= 1; the last block may be only partly full
// launch  grid = ceil(n / BLOCK), block = BLOCK
//
// Philox and the count are right. However, a million threads estimate pi no better than one does.
//
// Run     cargo checker check rng_pi           Stuck?  cargo checker hint rng_pi

constexpr int BLOCK = 256;

// Philox4x32 with ten rounds (Salmon and others, 2011) has no state. It computes four random words
// from a counter and a key. Each round multiplies two words and mixes in the key.
__device__ uint4 philox(uint4 c, uint2 key) {
    for (int round = 0; round < 10; ++round) {
        const unsigned int high0 = __umulhi(0xD2511F53u, c.x);
        const unsigned int low0 = 0xD2511F53u * c.x;
        const unsigned int high1 = __umulhi(0xCD9E8D57u, c.z);
        const unsigned int low1 = 0xCD9E8D57u * c.z;
        c = make_uint4(high1 ^ c.y ^ key.x, low1, high0 ^ c.w ^ key.y, low0);
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    return c;
}

// Returns 1 if the point (x, y) / 2^32 is within the circle, and 0 otherwise. The arithmetic is
// exact, because it uses 31 bits of each coordinate as integers, whose squares fit into 64 bits.
__device__ unsigned int inside(unsigned int x, unsigned int y) {
    const unsigned long long a = x >> 1;
    const unsigned long long b = y >> 1;
    return a * a + b * b < 1ull << 62 ? 1 : 0;
}

extern "C" __global__ void rng_pi(unsigned int* first, unsigned int* hits, unsigned int seed,
                                  int rounds, int n) {
    __shared__ unsigned int block_hits;

    const int tid = threadIdx.x;               // 0 .. BLOCK-1
    const int idx = blockIdx.x * BLOCK + tid;  // 0 .. grid*BLOCK-1

    if (tid == 0) {
        block_hits = 0;
    }

    unsigned int mine = 0;
    if (idx < n) {
        const uint2 key = make_uint2(seed, 0);
        for (int round = 0; round < rounds; ++round) {
            const uint4 counter = make_uint4(round, 0, 0, 0);
            const uint4 draw = philox(counter, key);
            if (round == 0) {
                first[idx] = draw.x;
            }
            mine += inside(draw.x, draw.y) + inside(draw.z, draw.w);
        }
    }

    for (int offset = 16; offset > 0; offset /= 2) {
        mine += __shfl_down_sync(0xffffffff, mine, offset);
    }
    __syncthreads();  // block_hits is 0 before any warp adds to it
    if (tid % 32 == 0) {
        atomicAdd(&block_hits, mine);
    }
    __syncthreads();  // all warps have added before thread 0 reads the sum
    if (tid == 0) {
        atomicAdd(hits, block_hits);
    }
}
