// expect: wrong-values
// Right for blocks of 256 threads only.

extern "C" __global__ void blocks(const float* a, const float* b, float* out, int n) {
    const int idx = blockIdx.x * 256 + threadIdx.x;

    if (idx < n) {
        out[idx] = a[idx] + b[idx];
    }
}
