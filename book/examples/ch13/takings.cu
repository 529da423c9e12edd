// Adds up the revenue of each of 128 products, with one sum for each product,
// and with a sum for each product and lane.
#include <cstdio>

constexpr int PRODUCTS = 128;
constexpr int BLOCK = 256;

// ANCHOR: shared
// one sum for each product
__global__ void takings(const int* product, const int* cents, int* sums,
                        int n) {
    __shared__ int own[PRODUCTS];
    for (int p = threadIdx.x; p < PRODUCTS; p += BLOCK) {
        own[p] = 0;
    }
    __syncthreads();
    const int threads = gridDim.x * BLOCK;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += threads) {
        atomicAdd(&own[product[i]], cents[i]);                   // (1)
    }
    __syncthreads();
    for (int p = threadIdx.x; p < PRODUCTS; p += BLOCK) {
        atomicAdd(&sums[p], own[p]);
    }
}
// ANCHOR_END: shared

// ANCHOR: lanes
// a sum for each product and lane
__global__ void takings_of_lanes(const int* product, const int* cents,
                                 int* sums, int n) {
    __shared__ int own[PRODUCTS][32];                            // (1)
    const int lane = threadIdx.x % 32;
    for (int p = threadIdx.x / 32; p < PRODUCTS; p += BLOCK / 32) {
        own[p][lane] = 0;
    }
    __syncthreads();
    const int threads = gridDim.x * BLOCK;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += threads) {
        atomicAdd(&own[product[i]][lane], cents[i]);             // (2)
    }
    __syncthreads();
    for (int p = threadIdx.x; p < PRODUCTS; p += BLOCK) {
        int sum = 0;
        for (int k = 0; k < 32; ++k) {
            sum += own[p][(k + p) % 32];                         // (3)
        }
        atomicAdd(&sums[p], sum);
    }
}
// ANCHOR_END: lanes

int main() {
    const int n = 1 << 16;
    int *product, *cents, *sums;
    cudaMallocManaged(&product, n * sizeof(int));
    cudaMallocManaged(&cents, n * sizeof(int));
    cudaMallocManaged(&sums, PRODUCTS * sizeof(int));
    unsigned random = 1;
    for (int i = 0; i < n; ++i) {
        random = random * 1664525u + 1013904223u;
        product[i] = random >> 25;
        cents[i] = random >> 16 & 1023;
    }
    cudaMemset(sums, 0, PRODUCTS * sizeof(int));
    takings<<<4, BLOCK>>>(product, cents, sums, n);
    cudaDeviceSynchronize();
    printf("one sum:          %d %d %d\n", sums[0], sums[1], sums[127]);

    cudaMemset(sums, 0, PRODUCTS * sizeof(int));
    takings_of_lanes<<<4, BLOCK>>>(product, cents, sums, n);
    cudaDeviceSynchronize();
    printf("sums of 32 lanes: %d %d %d\n", sums[0], sums[1], sums[127]);
    cudaFree(product);
    cudaFree(cents);
    cudaFree(sums);
}
