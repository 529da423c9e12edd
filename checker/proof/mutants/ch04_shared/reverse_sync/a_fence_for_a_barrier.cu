// expect: shared-race
// A fence puts one thread's writes in order. It waits for nobody.

constexpr int MOST = 256;  // threads of the largest block

extern "C" __global__ void reverse_sync(const float* in, float* out) {
    __shared__ float tile[MOST];  // a slot for each thread, shared by the whole block

    const int tid = threadIdx.x;                    // place in the block, 0 .. blockDim.x-1
    const int idx = blockIdx.x * blockDim.x + tid;  // place in the array, 0 .. n-1

    tile[tid] = in[idx];
    __threadfence_block();
    out[idx] = tile[blockDim.x - 1 - tid];
}
