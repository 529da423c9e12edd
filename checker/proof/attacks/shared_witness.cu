// attack: shared memory holds a part of each element, which a thread compares with the one that it loads itself
// exercise: reverse_sync
// expect: gate-missed
// stopped-by: results that only move data have to be those of the run whose shared memory they get

extern "C" __global__ void reverse_sync(const float* in, float* out) {
    __shared__ int tile[256];
    const int tid = threadIdx.x, b = blockIdx.x * blockDim.x;
    tile[tid] = __float_as_int(in[b + tid]) & 0xffff;
    __syncthreads();
    const float v = in[b + blockDim.x - 1 - tid];
    out[b + tid] = tile[blockDim.x - 1 - tid] == (__float_as_int(v) & 0xffff) ? v : 0.0f;
}
