// euler_collatz | chapter 10 | "A question with a million answers"
//
// Goal    The chain of x goes on with x / 2 where x is even and with 3x + 1 where it is odd, and
//         ends at 1: 13 40 20 10 5 16 8 4 2 1 has 10 terms. How long are the chains that begin at
//         `first`, `first` + 1, ..., and which is the longest? (Project Euler's problem 14.)
//         At most one atomic operation on global memory for each block.
//
// lengths [n]    i32, lengths[i] = terms of the chain that begins at first + i
// best    [1]    u32, the longest chain so far, as a key (see below); it already holds what earlier
//                launches have found. Of two equally long chains, the lower beginning counts.
// first   number the lowest beginning, at least 1 and below 1 000 000
// n       count  any n >= 1; the last block may be only partly full
// launch  grid = ceil(n / BLOCK), block = BLOCK
//
// Two things are wrong here. First, some chains come out too short. Once they are right, reduce the
// number of atomics.
//
// Run     cargo checker check euler_collatz    Stuck?  cargo checker hint euler_collatz

constexpr int BLOCK = 256;

// A longer chain has a larger key and, among equally long chains, so has the lower beginning. One
// atomicMax on such keys finds both at once. In decimal, the last six digits are 999999 - begin,
// and the length stands before them. No chain's key is 0.
__device__ unsigned int key_of(int length, int begin) {
    return length * 1000000u + (999999 - begin);
}

extern "C" __global__ void euler_collatz(int* lengths, unsigned int* best, int first, int n) {
    const int idx = blockIdx.x * BLOCK + threadIdx.x;

    if (idx < n) {
        int x = first + idx;
        int length = 1;
        while (x > 1) {
            x = x % 2 == 0 ? x / 2 : 3 * x + 1;
            length++;
        }
        lengths[idx] = length;
        atomicMax(best, key_of(length, first + idx));
    }
}
