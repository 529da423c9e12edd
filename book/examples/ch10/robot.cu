// A robot finds out where it is, with a particle filter.
#include <cstdio>
#include <utility>

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
        float slip = random_number(i, 0, step) - 0.5f;            // (1)
        float moved = place[i] + 1.0f + slip;
        moved = moved < PLACES ? moved : moved - PLACES;          // (2)
        place[i] = moved;
        weight[i] = map[int(moved)] == seen ? 0.9f : 0.1f;        // (3)
    }
}
// ANCHOR_END: weigh

// ANCHOR: resample
__global__ void resample(const float* place, const float* weight,
                         float* next, int step, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int chosen = i;
        for (int draw = 1; draw <= 16; ++draw) {
            int other = int(random_number(i, 2 * draw, step) * n) % n;
            float dice = random_number(i, 2 * draw + 1, step);
            bool better = dice * weight[chosen] <= weight[other];  // (1)
            chosen = better ? other : chosen;
        }
        next[i] = place[chosen];                                  // (2)
    }
}
// ANCHOR_END: resample

int main() {
    constexpr int N = 2048, STEPS = 14;
    const char* corridor =
        "...D......D.D.........D......D..D...........D...";
    cudaMemcpyToSymbol(map, corridor, PLACES + 1);
    static float place[N];
    for (int i = 0; i < N; ++i) {
        place[i] = float(i) * PLACES / N;  // the robot could be anywhere
    }
    float *d_place, *d_weight, *d_next;
    cudaMalloc(&d_place, sizeof place);
    cudaMalloc(&d_weight, sizeof place);
    cudaMalloc(&d_next, sizeof place);
    cudaMemcpy(d_place, place, sizeof place, cudaMemcpyHostToDevice);

    printf("     %s\n", corridor);
    int robot = 2;  // the robot's true position, which only the host knows
    for (int step = 0; step < STEPS; ++step) {
        // ANCHOR: step
        robot = (robot + 1) % PLACES;
        move_and_weigh<<<N / 256, 256>>>(d_place, d_weight,
                                         corridor[robot], step, N);
        resample<<<N / 256, 256>>>(d_place, d_weight, d_next, step, N);
        std::swap(d_place, d_next);
        // ANCHOR_END: step

        cudaMemcpy(place, d_place, sizeof place, cudaMemcpyDeviceToHost);
        int count[PLACES] = {};
        for (float p : place) {
            count[int(p)]++;
        }
        printf("  %c  ", corridor[robot]);
        for (int c : count) {
            int shade = c * 30 / N;
            printf("%c", " .:-=+*#%@"[shade > 9 ? 9 : shade]);
        }
        printf("  %d\n", robot);
    }
    cudaFree(d_next);
    cudaFree(d_weight);
    cudaFree(d_place);
}
