// attack: doesn't shuffle within warps; every thread adds its element to the slot of its lane in shared memory
// exercise: warp_shuffle
// expect: gate-missed
// stopped-by: the gate on words of shared memory, in which the atomics of all threads count

constexpr unsigned ALL = 0xffffffffu;

__device__ unsigned key(float value) {
    const unsigned bits = __float_as_uint(value);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

extern "C" __global__ void warp_shuffle(const float* in, float* sums, float* maxima, int cols) {
    __shared__ float lane_sums[32];
    __shared__ unsigned lane_keys[32];

    const int row = blockIdx.x;
    const int tid = threadIdx.x;
    const int lane = tid % 32;

    if (tid < 32) {
        lane_sums[lane] = 0.0f;
        lane_keys[lane] = 0;
    }
    __syncthreads();
    if (tid < cols) {
        const float value = in[row * cols + tid];
        atomicAdd(&lane_sums[lane], value);
        atomicMax(&lane_keys[lane], key(value));
    }
    __syncthreads();

    if (tid < 32) {
        float sum = lane_sums[lane];
        unsigned largest = lane_keys[lane];
        for (int distance = 16; distance > 0; distance /= 2) {
            sum += __shfl_down_sync(ALL, sum, distance);
            largest = max(largest, __shfl_down_sync(ALL, largest, distance));
        }
        if (tid == 0) {
            sums[row] = sum;
            maxima[row] = __uint_as_float(largest >> 31 ? largest & 0x7fffffffu : ~largest);
        }
    }
}
