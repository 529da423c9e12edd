// Each of 8192 walkers takes 64 random steps to the left or right.
#include <cstdio>

// ANCHOR: philox
// Philox4x32-10: four random words for each counter and key.
__device__ uint4 philox(uint4 counter, uint2 key) {
    for (int round = 0; round < 10; ++round) {
        unsigned int high0 = __umulhi(0xD2511F53u, counter.x);
        unsigned int low0 = 0xD2511F53u * counter.x;
        unsigned int high1 = __umulhi(0xCD9E8D57u, counter.z);
        unsigned int low1 = 0xCD9E8D57u * counter.z;
        counter = make_uint4(high1 ^ counter.y ^ key.x, low1,
                             high0 ^ counter.w ^ key.y, low0);
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    return counter;
}
// ANCHOR_END: philox

// ANCHOR: kernel
constexpr int STEPS = 64;

__global__ void walk(int* at_place, unsigned int seed, int n) {
    int walker = blockIdx.x * blockDim.x + threadIdx.x;
    if (walker < n) {
        uint2 key = make_uint2(seed, 0);                           // (1)
        int place = STEPS;                                         // (2)
        for (int draw = 0; draw < STEPS / 4; ++draw) {
            uint4 counter = make_uint4(walker, draw, 0, 0);        // (3)
            uint4 words = philox(counter, key);
            place += words.x % 2 == 0 ? 1 : -1;                    // (4)
            place += words.y % 2 == 0 ? 1 : -1;
            place += words.z % 2 == 0 ? 1 : -1;
            place += words.w % 2 == 0 ? 1 : -1;
        }
        atomicAdd(&at_place[place], 1);
    }
}
// ANCHOR_END: kernel

int main() {
    constexpr int WALKERS = 8192, PLACES = 2 * STEPS + 1;
    int* d_at_place = nullptr;
    cudaMalloc(&d_at_place, PLACES * sizeof(int));
    cudaMemset(d_at_place, 0, PLACES * sizeof(int));
    walk<<<WALKERS / 256, 256>>>(d_at_place, 2026, WALKERS);
    int at_place[PLACES];
    cudaMemcpy(at_place, d_at_place, sizeof at_place,
               cudaMemcpyDeviceToHost);
    for (int place = STEPS - 20; place <= STEPS + 20; place += 2) {
        printf("%4d ", place - STEPS);
        for (int bar = 0; bar < at_place[place] / 16; ++bar) {
            printf("#");
        }
        printf("\n");
    }
    cudaFree(d_at_place);
}
