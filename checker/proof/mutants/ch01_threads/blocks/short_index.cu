// expect: out-of-bounds-write
// A 16-bit index turns negative after 32767.

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const short idx = blockIdx.x * blockDim.x + threadIdx.x;

    if (idx < n) {
        out[idx] = a[idx] + b[idx];
    }
}
