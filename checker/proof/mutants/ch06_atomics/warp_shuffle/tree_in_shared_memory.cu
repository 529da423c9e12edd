// expect: gate-missed
// Reduces in shared memory; the result is right, but it needs a slot for each thread and a
// barrier for each iteration.

constexpr float LOWEST = -3.402823466e+38f;

extern "C" __global__ void warp_shuffle(const float* in, float* sums, float* maxima, int cols) {
    __shared__ float tile_sums[1024];
    __shared__ float tile_maxima[1024];

    const int row = blockIdx.x;
    const int tid = threadIdx.x;
    const float value = tid < cols ? in[row * cols + tid] : 0.0f;

    tile_sums[tid] = value;
    tile_maxima[tid] = tid < cols ? value : LOWEST;
    for (int stride = 512; stride > 0; stride /= 2) {
        __syncthreads();
        if (tid < stride && tid + stride < blockDim.x) {
            tile_sums[tid] += tile_sums[tid + stride];
            tile_maxima[tid] = fmaxf(tile_maxima[tid], tile_maxima[tid + stride]);
        }
    }
    if (tid == 0) {
        sums[row] = tile_sums[0];
        maxima[row] = tile_maxima[0];
    }
}
