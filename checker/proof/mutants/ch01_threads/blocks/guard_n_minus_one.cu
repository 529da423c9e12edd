// expect: wrong-values
// The right index, and the last element left out.

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;

    if (idx < n - 1) {
        out[idx] = a[idx] + b[idx];
    }
}
