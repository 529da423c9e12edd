// attack: each thread stores its result in shared memory and loads it from there again, and global loads do the work
// exercise: reverse_sync
// expect: gate-missed
// stopped-by: the counts of what it uses: requests of shared memory count only if threads pass values to each other

extern "C" __global__ void reverse_sync(const float* in, float* out) {
    __shared__ float tile[256];
    const int tid = threadIdx.x;
    const int first = blockIdx.x * blockDim.x;
    tile[tid] = in[first + blockDim.x - 1 - tid];
    __syncthreads();
    out[first + tid] = tile[tid];
}
