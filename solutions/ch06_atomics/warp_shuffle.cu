// Lanes read each other's registers, so a warp reduces its values in five steps, without barriers.
// A block needs two such reductions, with 64 floats of shared memory and one barrier between them,
// whereas the tree in shared memory needed nine barriers. Every lane takes part in every shuffle,
// and a lane without an element passes the neutral value.

constexpr unsigned ALL = 0xffffffffu;        // all 32 lanes of a warp
constexpr float LOWEST = -3.402823466e+38f;  // no finite float is less

extern "C" __global__ void warp_shuffle(const float* in, float* sums, float* maxima, int cols) {
    __shared__ float warp_sums[32];    // a slot for each warp
    __shared__ float warp_maxima[32];  // a slot for each warp

    const int row = blockIdx.x;
    const int tid = threadIdx.x;        // index in the row, 0 .. blockDim.x-1
    const int lane = tid % 32;          // index in the warp
    const int warp = tid / 32;          // index of the warp in the block
    const int warps = blockDim.x / 32;  // number of warps in the block

    // Don't write `if (tid >= cols) return;`, because the shuffles below need every lane.
    float sum = 0.0f;
    float maximum = LOWEST;
    if (tid < cols) {
        sum = in[row * cols + tid];
        maximum = sum;
    }

    for (int distance = 16; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(ALL, sum, distance);
        maximum = fmaxf(maximum, __shfl_down_sync(ALL, maximum, distance));
    }

    if (lane == 0) {
        warp_sums[warp] = sum;
        warp_maxima[warp] = maximum;
    }
    __syncthreads();  // every warp has stored its results

    if (warp == 0) {
        sum = lane < warps ? warp_sums[lane] : 0.0f;
        maximum = lane < warps ? warp_maxima[lane] : LOWEST;
        for (int distance = 16; distance > 0; distance /= 2) {
            sum += __shfl_down_sync(ALL, sum, distance);
            maximum = fmaxf(maximum, __shfl_down_sync(ALL, maximum, distance));
        }
        if (lane == 0) {
            sums[row] = sum;
            maxima[row] = maximum;
        }
    }
}
