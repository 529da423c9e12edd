#include <cstdio>
#include <cstdlib>

// ANCHOR: kernel
// ranks[i] = how many readings of the block's slice are lower than in[i]
__global__ void rank_in_slice(const float* in, int* ranks) {
    extern __shared__ float slice[];            // (1)

    int tid = threadIdx.x;
    int idx = blockIdx.x * blockDim.x + tid;

    slice[tid] = in[idx];
    __syncthreads();

    int lower = 0;
    for (int i = 0; i < blockDim.x; ++i) {      // (2)
        lower += slice[i] < slice[tid];
    }
    ranks[idx] = lower;
}
// ANCHOR_END: kernel

int main(int count, char** words) {
    constexpr int N = 512;
    // ANCHOR: size
    int block = count > 1 ? atoi(words[1]) : 64;   // 64 by default
    // ANCHOR_END: size
    float in[N];
    int ranks[N];
    for (int i = 0; i < N; ++i) {
        in[i] = i * 37 % N;    // every number below N, in a mixed order
    }

    float* d_in;
    int* d_ranks;
    cudaMalloc(&d_in, sizeof(in));
    cudaMalloc(&d_ranks, sizeof(ranks));
    cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyHostToDevice);

    // ANCHOR: launch
    size_t bytes = block * sizeof(float);
    rank_in_slice<<<N / block, block, bytes>>>(d_in, d_ranks);   // (3)
    // ANCHOR_END: launch

    cudaMemcpy(ranks, d_ranks, sizeof(ranks), cudaMemcpyDeviceToHost);
    printf("blocks of %d: the first reading is %g, its rank %d\n", block,
           in[0], ranks[0]);
    printf("the second is %g, its rank %d\n", in[1], ranks[1]);

    cudaFree(d_ranks);
    cudaFree(d_in);
}
