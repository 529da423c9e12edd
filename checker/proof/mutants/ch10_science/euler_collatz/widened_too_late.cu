// expect: wrong-values
// The product is made in 32 bits, and put into 64.

constexpr int BLOCK = 256;

// A number that is the larger the longer the chain is and, among equals, the lower it begins: one
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
        long long x = first + idx;
        int length = 1;
        while (x > 1) {
            x = x % 2 == 0 ? x / 2 : static_cast<long long>(3 * static_cast<int>(x) + 1);
            length++;
        }
        lengths[idx] = length;
        key = key_of(length, first + idx);
    }

    for (int offset = 16; offset > 0; offset /= 2) {
        const unsigned int other = __shfl_down_sync(0xffffffff, key, offset);
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
