// A thread loads four times four floats before it adds any of them, so a warp has 2048 bytes in
// flight. Fewer than four loads may be left for a thread, and fewer than four floats at the end, so
// two more loops follow. Shuffles add up the sums of a warp. They save barriers, but that happens
// only once, at the end, so it hardly changes the kernel's time.

constexpr int BLOCK = 256;             // threads of a block
constexpr int WARPS = BLOCK / 32;      // warps of a block
constexpr int LOADS = 4;               // loads of four floats that each thread has in flight
constexpr unsigned ALL = 0xffffffffu;  // all 32 lanes of a warp

__device__ float sum_of(float4 v) {
    return (v.x + v.y) + (v.z + v.w);
}

__device__ float sum_of_warp(float value) {
    for (int distance = 16; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(ALL, value, distance);
    }
    return value;
}

extern "C" __global__ void reduce_bandwidth(const float* in, float* total, int n) {
    __shared__ float sums[WARPS];  // a slot for each warp

    const int tid = threadIdx.x;              // 0 .. BLOCK-1
    const int threads = gridDim.x * BLOCK;    // threads in the whole grid
    const int me = blockIdx.x * BLOCK + tid;  // 0 .. threads-1

    const float4* in4 = reinterpret_cast<const float4*>(in);
    const int fours = n / 4;  // elements of in4

    float sum = 0.0f;
    int i = me;
    for (; i + (LOADS - 1) * threads < fours; i += LOADS * threads) {
        float4 values[LOADS];
        for (int k = 0; k < LOADS; ++k) {
            values[k] = in4[i + k * threads];
        }
        for (int k = 0; k < LOADS; ++k) {
            sum += sum_of(values[k]);
        }
    }
    for (; i < fours; i += threads) {  // fewer than LOADS are left for this thread
        sum += sum_of(in4[i]);
    }
    for (int k = 4 * fours + me; k < n; k += threads) {  // up to three floats
        sum += in[k];
    }

    sum = sum_of_warp(sum);
    if (tid % 32 == 0) {
        sums[tid / 32] = sum;
    }
    __syncthreads();  // every warp has stored its sum
    if (tid < 32) {
        sum = sum_of_warp(tid < WARPS ? sums[tid] : 0.0f);
        if (tid == 0) {
            atomicAdd(total, sum);
        }
    }
}
