constexpr int BLOCK = 256;  // threads per block, a power of two

__device__ float warp_sum(float value) {
    for (int offset = 16; offset > 0; offset /= 2) {
        value += __shfl_down_sync(0xffffffff, value, offset);
    }
    return value;
}

extern "C" __global__ void reduce_tree(const float* in, float* out, int n) {
    __shared__ float sums[BLOCK / 32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float mine = 0;
    if (i < n) mine = in[i];
    mine = warp_sum(mine);
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;
    if (lane == 0) sums[warp] = mine;
    __syncthreads();
    if (warp == 0) {
        float total = lane < BLOCK / 32 ? sums[lane] : 0;
        total = warp_sum(total);
        if (lane == 0) {
            out[blockIdx.x] = total;
        }
    }
}
