// Idea    64 bits for what grows in between, though beginning and length fit into 32; the maximum
//         is found in the block first: a warp folds its keys, its lane 0 joins the block's.
// Work    one atomic on global memory for each block, instead of one for each number.
// Notice  a thread without a number stays, with the key 0 that never wins, because the shuffles and
//         the barriers are for all threads; length and beginning are one number, because two
//         atomics after each other are not one atomic.

constexpr int BLOCK = 256;

// A longer chain has a larger key and, among equally long chains, so has the lower beginning. One
// atomicMax on such keys finds both at once. In decimal, the last six digits are 999999 - begin,
// and the length stands before them. No chain's key is 0.
__device__ unsigned int key_of(int length, int begin) {
    return length * 1000000u + (999999 - begin);
}

extern "C" __global__ void euler_collatz(int* lengths, unsigned int* best, int first, int n) {
    __shared__ unsigned int longest;  // of this block

    const int tid = threadIdx.x;               // 0 .. BLOCK-1
    const int idx = blockIdx.x * BLOCK + tid;  // 0 .. grid*BLOCK-1

    if (tid == 0) {
        longest = 0;
    }

    unsigned int key = 0;
    if (idx < n) {
        unsigned long long x = first + idx;
        int length = 1;
        while (x > 1) {
            x = x % 2 == 0 ? x / 2 : 3 * x + 1;
            length++;
        }
        lengths[idx] = length;
        key = key_of(length, first + idx);
    }

    for (int offset = 16; offset > 0; offset /= 2) {
        const unsigned int other = __shfl_down_sync(0xffffffff, key, offset);
        key = other > key ? other : key;
    }
    __syncthreads();  // `longest` is 0 before any warp updates it
    if (tid % 32 == 0) {
        atomicMax(&longest, key);
    }
    __syncthreads();  // all warps have updated it before thread 0 reads it
    if (tid == 0) {
        atomicMax(best, longest);
    }
}
