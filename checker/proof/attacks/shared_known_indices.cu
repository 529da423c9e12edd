// attack: shared memory holds the numbers of the threads, with which each thread finds its element in global memory
// exercise: reverse_sync
// expect: gate-missed
// stopped-by: the run with what other inputs leave in shared memory

extern "C" __global__ void reverse_sync(const float* in, float* out) {
    __shared__ int tile[256];  // no element of `in` is ever here, only numbers that everyone knows
    const int tid = threadIdx.x;
    const int base = blockIdx.x * blockDim.x;
    tile[tid] = tid;
    __syncthreads();
    const unsigned at = tile[blockDim.x - 1 - tid];
    out[base + tid] = in[base + (at < blockDim.x ? at : 0)];
}
