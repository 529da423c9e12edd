// attack: goes through shared memory and a barrier for nothing, and loads each element from global memory
// exercise: reverse_sync
// expect: gate-missed
// stopped-by: the counts of what it uses: requests of shared memory count only if the results change with what it holds

extern "C" __global__ void reverse_sync(const float* in, float* out) {
    __shared__ float tile[256];
    const int tid = threadIdx.x;
    const int first = blockIdx.x * blockDim.x;
    tile[tid] = in[first + tid];
    __syncthreads();
    const float exchanged = tile[blockDim.x - 1 - tid];
    out[first + tid] = in[first + blockDim.x - 1 - tid] + 0.0f * exchanged;
}
