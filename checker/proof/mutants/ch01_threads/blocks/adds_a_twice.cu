// expect: wrong-values
// Reads the same array twice.

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;

    if (idx < n) {
        out[idx] = a[idx] + a[idx];
    }
}
