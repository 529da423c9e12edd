// euler_collatz | chapter 10 | "Sequences of different lengths"
//
// Goal    count the terms of the Collatz chains that begin at `first`, `first` + 1, and so on, and
//         find the longest chain. Use at most one atomic operation on global memory for each block.
//         In a chain, the number after an even x is x / 2, and the number after an odd x is 3x + 1.
//         The chain ends at 1. For example, 13 40 20 10 5 16 8 4 2 1 has 10 terms.
//
// lengths [n]    i32, lengths[i] = the number of terms of the chain that begins at first + i
// best    [1]    u32, the key (see key_of) of the longest chain of this and all earlier launches;
//                if two chains are equally long, choose the smaller starting number
// first   number the smallest starting number, at least 1 and below 1 000 000
// n       count  any n >= 1; the last block may be only partly full
// launch  grid = ceil(n / BLOCK), block = BLOCK
//
// The kernel has two problems. It computes wrong lengths for some chains, and it executes too many
// atomic operations. Fix the lengths first. The chains are from Project Euler's problem 14.
//
// Run     cargo checker check euler_collatz    Stuck?  cargo checker hint euler_collatz

constexpr int BLOCK = 256;

// The last six decimal digits of a chain's key are 999999 - begin, where begin is the starting
// number. The digits before them are the length, so a longer chain has a larger key. If two chains
// are equally long, the chain with the smaller starting number has the larger key. No key is 0.
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
