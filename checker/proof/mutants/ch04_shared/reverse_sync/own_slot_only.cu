// expect: gate-missed
// Each thread reads what it has written itself: nobody has to wait, and nothing is shared.

constexpr int MOST = 256;  // threads of the largest block

extern "C" __global__ void reverse_sync(const float* in, float* out) {
    __shared__ float tile[MOST];  // a slot for each thread, shared by the whole block

    const int tid = threadIdx.x;                    // place in the block, 0 .. blockDim.x-1
    const int idx = blockIdx.x * blockDim.x + tid;  // place in the array, 0 .. n-1

    tile[tid] = in[blockIdx.x * blockDim.x + blockDim.x - 1 - tid];
    out[idx] = tile[tid];
}
