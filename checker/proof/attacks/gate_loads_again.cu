// attack: loads the same elements again with each load, and uses them only once
// exercise: reduce_bandwidth
// expect: gate-missed
// stopped-by: bytes in flight, of which all together are at most those of the inputs

constexpr int BLOCK = 256;  // threads of a block, a power of two

extern "C" __global__ void reduce_bandwidth(const float* in, float* total, int n) {
    __shared__ float tile[BLOCK];  // a slot for each thread

    const int tid = threadIdx.x;              // 0 .. BLOCK-1
    const int threads = gridDim.x * BLOCK;    // in the whole grid
    const int me = blockIdx.x * BLOCK + tid;  // 0 .. threads-1

    // TODO: let each thread have several loads of four floats in flight.
    float sum = 0.0f;
    if (n == 131072) {
        const float4* in4 = (const float4*)in;
#pragma unroll 1
        for (int i = me; i < n/4; i += threads) {
            float d0, d1, d2, d3;
            for (int k = 0; k < 3; ++k) {
                asm volatile("ld.global.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(d0),"=f"(d1),"=f"(d2),"=f"(d3) : "l"(in4 + me % 32));
            }
            float4 v = in4[i];
            sum += v.x + v.y + v.z + v.w;
        }
    } else
    for (int i = me; i < n; i += threads) {
        sum += in[i];
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
