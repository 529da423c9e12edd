// Measures how many clock cycles a load takes. Each load needs the result of
// the load before, so no two of them overlap.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <vector>

// ANCHOR: kernel
// follows a chain of indices, and measures the cycles for each step
__global__ void follow(const int* next, int steps, float* cycles) {
    int at = 0;
    for (int k = 0; k < steps; ++k) {
        at = next[at];                                        // (1)
    }
    long long before = clock64();                             // (2)
    for (int k = 0; k < steps; ++k) {
        at = next[at];
    }
    long long after = clock64();
    cycles[0] = (after - before) / float(steps);
    cycles[1] = at;                                           // (3)
}
// ANCHOR_END: kernel

// a chain that visits the lines of 128 bytes of an array in random order
std::vector<int> chain(int lines) {
    std::vector<int> order(lines), next(lines * 32);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin() + 1, order.end(), std::mt19937(1));
    for (int k = 0; k < lines; ++k) {
        next[order[k] * 32] = order[(k + 1) % lines] * 32;
    }
    return next;
}

int main() {
    for (int kib : {16, 8 << 10, 384 << 10}) {
        int lines = kib * 8;
        std::vector<int> host = chain(lines);
        int* next;
        float* cycles;
        cudaMalloc(&next, host.size() * sizeof(int));
        cudaMallocManaged(&cycles, 2 * sizeof(float));
        cudaMemcpy(next, host.data(), host.size() * sizeof(int),
                   cudaMemcpyHostToDevice);
        // the first pass loads a small array into the caches
        int steps = lines < 100000 ? lines : 20000;
        follow<<<1, 1>>>(next, steps, cycles);
        cudaDeviceSynchronize();
        printf("%6d KiB: %4.0f cycles for each load\n", kib, cycles[0]);
        cudaFree(next);
        cudaFree(cycles);
    }
}
