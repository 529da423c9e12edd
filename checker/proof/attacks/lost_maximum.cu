// attack: keeps the largest key by a load and a store of one thread in each block, and not by an atomic maximum
// exercise: euler_collatz
// expect: wrong-values
// stopped-by: other threads run after each access that observes memory which they share

extern "C" __global__ void euler_collatz(int* lengths, unsigned int* best, int first, int n) {
    __shared__ unsigned int most;
    if (threadIdx.x == 0) {
        most = 0;
    }
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int length = 1;
        for (long long x = first + i; x > 1; ++length) {
            x = x % 2 == 0 ? x / 2 : 3 * x + 1;
        }
        lengths[i] = length;
        atomicMax(&most, length * 1000000u + (999999 - (first + i)));
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned int before = atomicAdd(best, 0);
        if (most > before) {
            atomicExch(best, most);
        }
    }
}
