// expect: out-of-bounds-write
// Guards the place in the block instead of the place in the data.

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;

    if (threadIdx.x < n) {
        out[idx] = a[idx] + b[idx];
    }
}
