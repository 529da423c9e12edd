// expect: input-changed
// Adds into a, then copies: a is read only.

extern "C" __global__ void blocks(float* a, const float* b, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;

    if (idx < n) {
        a[idx] += b[idx];
        out[idx] = a[idx];
    }
}
