// expect: wrong-values
// An int has no bit 32.

constexpr int BLOCK = 256;

// A number that is the larger the longer the chain is and, among equals, the lower it begins. One
// atomicMax on such keys finds both at once. No chain's key is 0.
__device__ unsigned long long key_of(int length, unsigned int begin) {
    return (static_cast<unsigned long long>(length << 31 << 1)) | (0xffffffffu - begin);
}

extern "C" __global__ void euler_collatz(int* lengths, unsigned long long* best, int first, int n) {
    __shared__ unsigned long long longest;  // of this block

    const int tid = threadIdx.x;               // 0 .. BLOCK-1
    const int idx = blockIdx.x * BLOCK + tid;  // 0 .. grid*BLOCK-1

    if (tid == 0) {
        longest = 0;
    }

    unsigned long long key = 0;
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
        const unsigned long long other = __shfl_down_sync(0xffffffff, key, offset);
        key = other > key ? other : key;
    }
    __syncthreads();  // `longest` is 0 before anyone adds to it
    if (tid % 32 == 0) {
        atomicMax(&longest, key);
    }
    __syncthreads();  // all warps have joined before it is read
    if (tid == 0) {
        atomicMax(best, longest);
    }
}
