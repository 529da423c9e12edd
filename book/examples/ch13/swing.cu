// Finds the greatest difference between each sample and the 15 samples after it.
// The block copies a tile while it works on the one before.
#include <cstdio>
#include <cuda_pipeline.h>

constexpr int TILE = 128;             // results of a tile, one for each thread
constexpr int REACH = 16;             // samples that a result depends on
constexpr int LENGTH = TILE + REACH;  // samples that a tile needs

// ANCHOR: kernel
__device__ void begin(float* tile, const float* in, int number) {
    for (int i = threadIdx.x; i < LENGTH; i += TILE) {
        __pipeline_memcpy_async(tile + i, in + number * TILE + i, // (1)
                                sizeof(float));
    }
}

__global__ void swing(const float* in, float* out, int tiles) {
    __shared__ float tile[2][LENGTH];                             // (2)
    begin(tile[0], in, 0);
    __pipeline_commit();                                          // (3)

    for (int t = 0; t < tiles; ++t) {
        if (t + 1 < tiles) {
            begin(tile[(t + 1) % 2], in, t + 1);                  // (4)
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);                                 // (5)
        __syncthreads();                                          // (6)

        const float* samples = tile[t % 2] + threadIdx.x;
        float most = 0.0f;
        for (int k = 1; k < REACH; ++k) {
            most = fmaxf(most, fabsf(samples[k] - samples[0]));
        }
        out[t * TILE + threadIdx.x] = most;
        __syncthreads();                                          // (7)
    }
}
// ANCHOR_END: kernel

int main() {
    const int tiles = 6, n = tiles * TILE;
    float *in, *out;
    cudaMallocManaged(&in, (n + REACH) * sizeof(float));
    cudaMallocManaged(&out, n * sizeof(float));
    for (int i = 0; i < n + REACH; ++i) {
        in[i] = i * 37 % 101;
    }

    swing<<<1, TILE>>>(in, out, tiles);
    cudaDeviceSynchronize();

    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        float most = 0.0f;
        for (int k = 1; k < REACH; ++k) {
            most = fmaxf(most, fabsf(in[i + k] - in[i]));
        }
        wrong += out[i] != most;
    }
    printf("the first swing is %.0f, %d of %d results wrong\n", out[0], wrong, n);

    cudaFree(out);
    cudaFree(in);
}
