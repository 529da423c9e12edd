// Stores the chosen positions in the array that other threads still read.
#include <cstdio>

// ANCHOR: random
constexpr int PLACES = 48;
__constant__ char map[PLACES + 1];  // 'D' is a door, '.' is a wall

// A random number from 0 to 1 for each (particle, draw, step).
__device__ float random_number(unsigned int particle, unsigned int draw,
                               unsigned int step) {
    unsigned int x = particle * 0x9E3779B9u + draw * 0x85EBCA6Bu +
                     step * 0xC2B2AE35u;
    x = (x ^ (x >> 16)) * 0x7FEB352Du;
    x = (x ^ (x >> 15)) * 0x846CA68Bu;
    return ((x ^ (x >> 16)) >> 8) * (1.0f / (1 << 24));
}
// ANCHOR_END: random

// ANCHOR: weigh
__global__ void move_and_weigh(float* place, float* weight, char seen,
                               int step, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float slip = random_number(i, 0, step) - 0.5f;
        float moved = place[i] + 1.0f + slip;
        moved = moved < PLACES ? moved : moved - PLACES;
        place[i] = moved;
        weight[i] = map[int(moved)] == seen ? 0.9f : 0.1f;
    }
}
// ANCHOR_END: weigh

// ANCHOR: resample
__global__ void resample(float* place, const float* weight, int step,
                         int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int chosen = i;
        for (int draw = 1; draw <= 16; ++draw) {
            int other = int(random_number(i, 2 * draw, step) * n) % n;
            float dice = random_number(i, 2 * draw + 1, step);
            bool better = dice * weight[chosen] <= weight[other];
            chosen = better ? other : chosen;
        }
        place[i] = place[chosen];  // <-- old or new?
    }
}
// ANCHOR_END: resample

int main() {
    constexpr int N = 512;
    const char* corridor =
        "...D......D.D.........D......D..D...........D...";
    cudaMemcpyToSymbol(map, corridor, PLACES + 1);
    float place[N];
    for (int i = 0; i < N; ++i) {
        place[i] = float(i) * PLACES / N;
    }
    float *d_place, *d_weight;
    cudaMalloc(&d_place, sizeof place);
    cudaMalloc(&d_weight, sizeof place);
    cudaMemcpy(d_place, place, sizeof place, cudaMemcpyHostToDevice);
    move_and_weigh<<<N / 256, 256>>>(d_place, d_weight, 'D', 0, N);
    resample<<<N / 256, 256>>>(d_place, d_weight, 0, N);
    cudaMemcpy(place, d_place, sizeof place, cudaMemcpyDeviceToHost);
    int doors = 0;
    for (float p : place) {
        doors += int(p) == 3;
    }
    printf("%d of %d particles are at the first door\n", doors, N);
    cudaFree(d_weight);
    cudaFree(d_place);
}
