// attack: overwrites the result of earlier launches if it has one block
// exercise: euler_collatz
// expect: wrong-values
// stopped-by: a block that finds nothing better

constexpr int BLOCK = 256;

// The last six decimal digits of a chain's key are 999999 - begin, where begin is the starting
// number. The digits before them are the length, so a longer chain has a larger key. If two chains
// are equally long, the chain with the smaller starting number has the larger key. No key is 0.
__device__ unsigned int key_of(int length, int begin) {
    return length * 1000000u + (999999 - begin);
}

extern "C" __global__ void euler_collatz(int* lengths, unsigned int* best, int first, int n) {
    __shared__ unsigned int longest;  // greatest key of this block

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
        if (gridDim.x == 1) *best = longest; else atomicMax(best, longest);
    }
}
