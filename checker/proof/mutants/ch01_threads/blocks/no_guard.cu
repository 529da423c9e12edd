// expect: out-of-bounds-write
// Has the right index, but the guard of the previous exercise is gone.

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;

    out[idx] = a[idx] + b[idx];
}
