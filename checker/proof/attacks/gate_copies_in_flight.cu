// attack: loads each float by an asynchronous copy, and waits for it at once
// exercise: reduce_bandwidth
// expect: gate-missed
// stopped-by: waits for asynchronous copies, which are waits for loads

#include <cuda_pipeline.h>

constexpr int BLOCK = 256;  // threads of a block, a power of two

extern "C" __global__ void reduce_bandwidth(const float* in, float* total, int n) {
    __shared__ float tile[BLOCK];  // a slot for each thread

    const int tid = threadIdx.x;              // 0 .. BLOCK-1
    const int threads = gridDim.x * BLOCK;    // in the whole grid
    const int me = blockIdx.x * BLOCK + tid;  // 0 .. threads-1

    // TODO: let each thread have several loads of four floats in flight.
    float sum = 0.0f;
    for (int i = me; i < n; i += threads) {
        if (i < threads) {
            sum += in[i];
        } else {  // one load of 4 bytes, and a wait for it
            __pipeline_memcpy_async(tile + tid, in + i, 4);
            __pipeline_commit();
            __pipeline_wait_prior(0);
            sum += tile[tid];
        }
    }

    tile[tid] = sum;
    __syncthreads();  // every slot is filled
    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (tid < stride) {
            tile[tid] += tile[tid + stride];
        }
        __syncthreads();  // every thread has finished this round
    }
    if (tid == 0) {
        atomicAdd(total, tile[0]);
    }
}
