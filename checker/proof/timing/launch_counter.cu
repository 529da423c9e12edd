// exercise: grid_stride
// expect: not faster
// Only the first launch computes, because the results are in the output array afterwards.
__device__ int launches = 0;

extern "C" __global__ void grid_stride(const float* a, const float* b, float* out, int n) {
    const size_t threads = size_t(gridDim.x) * blockDim.x;
    const size_t me = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (launches >= int(threads)) {
        return;
    }
    atomicAdd(&launches, 1);
    for (size_t idx = me; idx < n; idx += threads) {
        out[idx] = sqrtf(a[idx] * a[idx] + b[idx] * b[idx]);
    }
}
