// expect: uninitialised-read
// volatile makes each read a real read. It does not say when.

constexpr int MOST = 256;  // threads of the largest block

extern "C" __global__ void reverse_sync(const float* in, float* out) {
    __shared__ volatile float tile[MOST];  // a slot for each thread, shared by the whole block

    const int tid = threadIdx.x;                    // place in the block, 0 .. blockDim.x-1
    const int idx = blockIdx.x * blockDim.x + tid;  // place in the array, 0 .. n-1

    tile[tid] = in[idx];
    out[idx] = tile[blockDim.x - 1 - tid];
}
