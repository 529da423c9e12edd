// attack: synchronises its threads at a barrier in shared memory, which is not counted as one
// exercise: warp_shuffle
// expect: gate-missed
// stopped-by: gates count an arrival at any kind of barrier

#include <cuda/barrier>

extern "C" __global__ void warp_shuffle(const float* in, float* sums, float* maxima, int cols) {
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ Barrier barrier;
    __shared__ float reduced[32];
    const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32, warps = blockDim.x / 32;
    if (tid == 0) {
        init(&barrier, blockDim.x);
    }
    __syncthreads();
    float sum = tid < cols ? in[blockIdx.x * cols + tid] : 0.0f;
    float most = tid < cols ? sum : -3.402823466e+38f;
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, step));
    }
    for (const bool maximum : {false, true}) {
        if (lane == 0) {
            reduced[warp] = maximum ? most : sum;
        }
        barrier.arrive_and_wait();
        if (tid == 0) {
            float all = reduced[0];
            for (int i = 1; i < warps; ++i) {
                all = maximum ? fmaxf(all, reduced[i]) : all + reduced[i];
            }
            (maximum ? maxima : sums)[blockIdx.x] = all;
        }
        barrier.arrive_and_wait();
    }
}
