// Measures how fast a kernel loads, for several numbers of warps on each
// multiprocessor and of loads that each thread has in flight.
#include <cstdio>
#include <cstdlib>

// ANCHOR: kernel
// adds up an array; each thread has LOADS loads in flight
template <int LOADS>
__global__ void add_up(const float* in, float* sums, size_t n) {
    const size_t threads = size_t(gridDim.x) * blockDim.x;
    const size_t me = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    float sum = 0.0f;
    for (size_t i = me; i + (LOADS - 1) * threads < n;
         i += LOADS * threads) {
        float values[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; ++k) {
            values[k] = in[i + k * threads];                  // (1)
        }
#pragma unroll
        for (int k = 0; k < LOADS; ++k) {
            sum += values[k];                                 // (2)
        }
        if (sum == -1.0f) {                                   // (3)
            break;
        }
    }
    sums[me] = sum;
}
// ANCHOR_END: kernel

template <int LOADS>
float gigabytes_per_second(const float* in, float* sums, size_t n, int warps,
                           int processors) {
    const int threads = warps < 32 ? 32 * warps : 1024;
    const int blocks = processors * (32 * warps / threads);
    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    float best = 1e30f;
    for (int repeat = 0; repeat < 3; ++repeat) {
        cudaEventRecord(start);
        add_up<LOADS><<<blocks, threads>>>(in, sums, n);
        cudaEventRecord(stop);
        cudaEventSynchronize(stop);
        float ms = 0.0f;
        cudaEventElapsedTime(&ms, start, stop);
        best = ms < best ? ms : best;
    }
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    return n * sizeof(float) / best * 1e-6f;
}

int main(int argc, char** argv) {
    // on a GPU, take an array that is much larger than its cache
    const size_t n = argc > 1 ? strtoull(argv[1], nullptr, 10) : 1 << 20;
    int processors;
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    float *in, *sums;
    cudaMalloc(&in, n * sizeof(float));
    cudaMemset(in, 0, n * sizeof(float));
    cudaMalloc(&sums, size_t(processors) * 2048 * sizeof(float));
    printf("GB/s\nwarps  1 load  2 loads  4 loads  8 loads\n");
    for (int warps : {4, 16, 64}) {
        printf("%5d %7.0f %8.0f %8.0f %8.0f\n", warps,
               gigabytes_per_second<1>(in, sums, n, warps, processors),
               gigabytes_per_second<2>(in, sums, n, warps, processors),
               gigabytes_per_second<4>(in, sums, n, warps, processors),
               gigabytes_per_second<8>(in, sums, n, warps, processors));
    }
    cudaFree(in);
    cudaFree(sums);
}
